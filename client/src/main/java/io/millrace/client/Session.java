package io.millrace.client;

import io.millrace.protocol.reason.ApplicationStatus;
import java.util.Objects;
import java.util.Optional;

/** A cluster that takes jobs until it is stopped. */
public interface Session {
  /** What is known of it in a few words. */
  Info info();

  /** Where to talk to it, and with what. */
  ClusterAddress address();

  /** How it ended, if it has. */
  Optional<RunningProgram.Outcome> ended();

  /** Ends it and its jobs; returns when it has ended. */
  RunningProgram.Outcome stop(Progress progress);

  /**
   * @param place who else uses what it uses, such as a queue
   * @param startedAt in milliseconds since the epoch
   */
  record Info(String id, String name, String state, String place, long startedAt) {
    public Info {
      Objects.requireNonNull(id);
      Objects.requireNonNull(name);
      Objects.requireNonNull(state);
      Objects.requireNonNull(place);
    }
  }

  /** Whether an end is one that somebody wanted. */
  static boolean isGood(RunningProgram.Outcome end) {
    return end.status() == ApplicationStatus.SUCCEEDED
        || end.status() == ApplicationStatus.CANCELED;
  }
}
