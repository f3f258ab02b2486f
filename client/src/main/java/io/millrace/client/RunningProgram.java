package io.millrace.client;

import io.millrace.protocol.reason.ApplicationStatus;
import java.util.Objects;

/** A program that runs in its own cluster. */
public interface RunningProgram {
  /** Its id at the resource manager. */
  String id();

  /** Waits for its end, and reports the events of its jobs meanwhile. */
  Outcome await(JobListener listener);

  /** Ends the program, its jobs and its cluster. */
  void end();

  /** The commands with which a user observes and ends the program, one per line. */
  String followUpCommands();

  /**
   * How it ended.
   *
   * @param diagnostics the cause; empty if it is unknown
   */
  record Outcome(ApplicationStatus status, String diagnostics) {
    public Outcome {
      Objects.requireNonNull(status);
      Objects.requireNonNull(diagnostics);
    }
  }
}
