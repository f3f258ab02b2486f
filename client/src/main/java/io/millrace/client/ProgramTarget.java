package io.millrace.client;

import io.millrace.core.config.Configuration;

/**
 * A target that runs whole programs, {@code main} included, found by {@link
 * java.util.ServiceLoader}. A provider has a public constructor without arguments that starts
 * nothing.
 */
public interface ProgramTarget {
  /** Its name in {@code execution.target}. */
  String name();

  /**
   * Submits the program. Returns when a cluster has accepted it; an error means that no cluster
   * runs it.
   */
  RunningProgram start(ShippedProgram program, Configuration configuration, Progress progress);
}
