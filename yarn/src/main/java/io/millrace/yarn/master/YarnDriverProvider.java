package io.millrace.yarn.master;

import io.millrace.control.driver.DriverProvider;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.core.config.Configuration;
import io.millrace.core.memory.DefaultProcessSizes;
import io.millrace.rpc.Env;

/** Provides the driver {@code yarn}, whose workers are TaskManagers in containers. */
public final class YarnDriverProvider implements DriverProvider {
  /** The name in {@code resourcemanager.driver}. */
  public static final String NAME = "yarn";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public WorkerDriver driver(Configuration configuration, Env env) {
    return ApplicationMasterContainer.current().driver(DefaultProcessSizes.in(configuration), env);
  }
}
