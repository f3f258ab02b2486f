package io.millrace.control.driver;

import io.millrace.core.config.Configuration;
import io.millrace.rpc.Env;

/**
 * Brings a driver under a name, which is what {@code resourcemanager.driver} chooses by. Found by
 * {@link java.util.ServiceLoader}: a provider has a public constructor without parameters and loads
 * nothing heavy before it is asked for its driver.
 */
public interface DriverProvider {
  String name();

  /**
   * @param configuration that of the JobManager, with the address at which its workers reach it
   */
  WorkerDriver driver(Configuration configuration, Env env);
}
