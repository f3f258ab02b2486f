package io.millrace.client;

import io.millrace.core.config.Configuration;

/**
 * A place that runs whole programs, {@code main} included, found by {@link
 * java.util.ServiceLoader}. A provider has a public constructor without arguments that starts
 * nothing.
 */
public interface ProgramTarget {
  /** What {@code execution.target} calls it. */
  String name();

  /** Hands the program over. Returns when a cluster has it; an error means that none has. */
  RunningProgram start(ShippedProgram program, Configuration configuration, Progress progress);
}
