package io.millrace.control.driver;

import io.millrace.core.config.Configuration;
import io.millrace.rpc.Env;

/**
 * Creates a driver. {@code resourcemanager.driver} selects it by name. Found by {@link
 * java.util.ServiceLoader}: a provider has a public constructor without parameters and loads the
 * classes of its driver only in {@link #driver}.
 */
public interface DriverProvider {
  String name();

  /**
   * @param configuration the configuration of the JobManager, with the address for its workers
   */
  WorkerDriver driver(Configuration configuration, Env env);
}
