package io.millrace.control.driver;

import io.millrace.core.config.Configuration;
import io.millrace.rpc.Env;

/** Provides the {@link StandaloneDriver}. */
public final class StandaloneProvider implements DriverProvider {
  @Override
  public String name() {
    return "standalone";
  }

  @Override
  public WorkerDriver driver(Configuration configuration, Env env) {
    return new StandaloneDriver();
  }
}
