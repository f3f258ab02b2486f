package io.millrace.client;

import io.millrace.protocol.reason.ApplicationStatus;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/** A session cluster, which accepts jobs until it is stopped. */
public interface Session {
  /** Its id, name, state, queue and start. */
  Info info();

  /** Its REST address and the credentials for it. */
  ClusterAddress address();

  /** How it ended, if it has. */
  Optional<RunningProgram.Outcome> ended();

  /**
   * Stops the session and its jobs; returns when it has ended. Fails if the session refuses, and if
   * it does not answer and must not be killed.
   *
   * @param mayKill asked before the resource manager kills a session that does not end by itself;
   *     gets the reason
   */
  RunningProgram.Outcome stop(Progress progress, Predicate<String> mayKill);

  /**
   * @param user who has started it
   * @param place the queue or similar part of the resource manager in which it runs
   * @param startedAt in milliseconds since the epoch
   */
  record Info(String id, String name, String user, String state, String place, long startedAt) {
    public Info {
      Objects.requireNonNull(id);
      Objects.requireNonNull(name);
      Objects.requireNonNull(user);
      Objects.requireNonNull(state);
      Objects.requireNonNull(place);
    }
  }

  /** Whether the session ended without a failure: it succeeded or was stopped. */
  static boolean isSuccess(RunningProgram.Outcome end) {
    return end.status() == ApplicationStatus.SUCCEEDED
        || end.status() == ApplicationStatus.CANCELED;
  }
}
