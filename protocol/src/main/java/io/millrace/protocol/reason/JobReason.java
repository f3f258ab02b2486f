package io.millrace.protocol.reason;

import io.millrace.api.JobStatus;
import io.millrace.core.error.ErrorKind;
import java.time.Duration;
import java.util.Objects;

/** Why a job changes its status, or needs its slots no longer. */
public sealed interface JobReason extends Reason {
  /** Why a job does not restart. */
  enum RestartRefusal {
    /** It reads a result that is lost. */
    RESULT_LOST,
    /** It has no restart strategy. */
    NO_STRATEGY,
    /** It has used all its restarts. */
    ATTEMPTS_USED
  }

  /**
   * Something in the job failed.
   *
   * @param message the failure's own words
   */
  record JobFailure(ErrorKind kind, String message) implements JobReason {
    public JobFailure {
      Objects.requireNonNull(kind);
      Objects.requireNonNull(message);
    }
  }

  /**
   * Something in the job failed, and the job does not restart.
   *
   * @param message the failure's own words
   * @param allowed how many restarts the job may have
   */
  record RestartRefused(String message, RestartRefusal refusal, int allowed) implements JobReason {
    public RestartRefused {
      Objects.requireNonNull(message);
      Objects.requireNonNull(refusal);
    }
  }

  /** The job waits for its slots. */
  record JobScheduled() implements JobReason {}

  /** All stopped regions are scheduled again. */
  record JobRestarted() implements JobReason {}

  /** The user cancelled the job. */
  record CancelledByUser() implements JobReason {}

  /** The JobMaster is not the leader any more. */
  record LeadershipLost() implements JobReason {}

  /** All tasks have ended. */
  record TasksEnded() implements JobReason {}

  /** The JobMaster stops, and another one may continue the job. */
  record JobMasterStops(long term) implements JobReason {}

  /** The job has ended. */
  record JobOver(JobStatus status) implements JobReason {
    public JobOver {
      Objects.requireNonNull(status);
    }
  }

  /** The job ended under an earlier leader. */
  record EndedUnderEarlierLeader() implements JobReason {}

  /** The job has ended, as another component says. */
  record JobEndReported() implements JobReason {}

  /**
   * Nothing was heard of the client, and the job ends with it.
   *
   * @param heard whether the client was ever heard of by this JobManager
   */
  record ClientTimeout(boolean heard, Duration silence, Duration timeout) implements JobReason {
    public ClientTimeout {
      Objects.requireNonNull(silence);
      Objects.requireNonNull(timeout);
    }
  }
}
