package io.millrace.client;

import io.millrace.protocol.ApplicationStatus;
import java.util.Objects;

/** A program that runs in a cluster of its own. */
public interface RunningProgram {
  /** What the place where it runs calls it. */
  String id();

  /** Waits for its end, and tells meanwhile what becomes of its jobs. */
  End await(JobListener listener);

  /** Ends it, jobs and cluster. */
  void end();

  /** For a person who leaves it alone: how to look after it, a command a line. */
  String howToGoOn();

  /**
   * How it ended.
   *
   * @param diagnostics why; empty where nobody said so
   */
  record End(ApplicationStatus status, String diagnostics) {
    public End {
      Objects.requireNonNull(status);
      Objects.requireNonNull(diagnostics);
    }
  }
}
