package io.millrace.client;

import io.millrace.core.config.Configuration;

/**
 * A place where jobs run, found by {@link java.util.ServiceLoader}. A provider has a public
 * constructor without arguments that starts nothing.
 */
public interface Target {
  /** Its name in {@code execution.target}. */
  String name();

  /** Whether a job continues after its client has ended, as {@code run -d} requires. */
  boolean outlivesClient();

  /**
   * Whether each program gets a cluster of its own, which is started with the configuration of
   * {@code run}.
   */
  default boolean startsCluster() {
    return true;
  }

  /** Connects to the cluster, or starts it if it is part of this process. */
  ClusterClient open(Configuration configuration);

  /**
   * Connects as {@link #open(Configuration)} does, and reports progress.
   *
   * @param progress receives reports about long steps, also later, when a job is submitted
   */
  default ClusterClient open(Configuration configuration, Progress progress) {
    return open(configuration);
  }
}
