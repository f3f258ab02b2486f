package io.millrace.client;

import io.millrace.protocol.reason.ApplicationStatus;
import java.util.Objects;

/** A program that runs in a cluster of its own. */
public interface RunningProgram {
  /** What the place where it runs calls it. */
  String id();

  /** Waits for its end, and tells meanwhile what becomes of its jobs. */
  Outcome await(JobListener listener);

  /** Ends it, jobs and cluster. */
  void end();

  /** For a person who leaves it alone: how to look after it, a command a line. */
  String followUpCommands();

  /**
   * How it ended.
   *
   * @param diagnostics why; empty where nobody said so
   */
  record Outcome(ApplicationStatus status, String diagnostics) {
    public Outcome {
      Objects.requireNonNull(status);
      Objects.requireNonNull(diagnostics);
    }
  }
}
