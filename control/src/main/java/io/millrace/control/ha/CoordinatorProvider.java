package io.millrace.control.ha;

import io.millrace.core.config.Configuration;
import io.millrace.rpc.Env;

/**
 * Connects a process to a coordination service. {@code high-availability.type} selects it by name.
 * Found by {@link java.util.ServiceLoader}: a provider has a public constructor without parameters
 * and loads the classes of its service only in {@link #connect}.
 */
public interface CoordinatorProvider {
  /** In lower case. */
  String name();

  /**
   * Connects this process. Blocks until the service answers, within a bound. Throws a {@link
   * io.millrace.core.error.MillraceException} if it does not answer or refuses this process.
   */
  Coordinator connect(Configuration configuration, Env env);

  /** The clusters of the configured service, also those with other ids. Blocks like connect. */
  ClusterRegistry registry(Configuration configuration);
}
