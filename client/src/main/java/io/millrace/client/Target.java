package io.millrace.client;

import io.millrace.core.config.Configuration;

/**
 * A place where jobs run, found by {@link java.util.ServiceLoader}. A provider has a public
 * constructor without arguments that starts nothing.
 */
public interface Target {
  /** What {@code execution.target} calls it. */
  String name();

  /** Whether a job runs on after its client has gone, as {@code run -d} asks. */
  boolean outlivesClient();

  /**
   * Whether each program gets a cluster of its own, which starts with what {@code run} is given.
   */
  default boolean startsCluster() {
    return true;
  }

  /** Connects to the cluster, or starts it where it lives in this process. */
  ClusterClient open(Configuration configuration);

  /**
   * The same.
   *
   * @param progress hears of what takes a while, also later, when a job is submitted
   */
  default ClusterClient open(Configuration configuration, Progress progress) {
    return open(configuration);
  }
}
