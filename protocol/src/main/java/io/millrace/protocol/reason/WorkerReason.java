package io.millrace.protocol.reason;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Why workers have not come, have ended or are released. */
public sealed interface WorkerReason extends Reason {
  /**
   * The driver was asked for workers that have not registered.
   *
   * @param size what they have, where they are not the usual ones
   * @param starting how many of them have started
   */
  record WorkersRequested(String driver, int workers, Optional<ResourceProfile> size, int starting)
      implements WorkerReason {
    public WorkersRequested {
      Objects.requireNonNull(driver);
      Objects.requireNonNull(size);
    }
  }

  /** Workers of an earlier attempt have not registered again. */
  record PreviousWorkersAwaited(int workers) implements WorkerReason {}

  /**
   * Workers that were told to end still count in the limits.
   *
   * @param timeout how long they count at most
   */
  record WorkersEnding(int workers, String driver, Duration timeout) implements WorkerReason {
    public WorkersEnding {
      Objects.requireNonNull(driver);
      Objects.requireNonNull(timeout);
    }
  }

  /**
   * Workers do not start.
   *
   * @param last why the last start failed
   * @param lastMinute how many starts failed within a minute
   * @param paused whether so many failed that starting pauses
   * @param retry the pause after a failed start
   */
  record StartsFailing(Reason last, int lastMinute, boolean paused, Duration retry)
      implements WorkerReason {
    public StartsFailing {
      Objects.requireNonNull(last);
      Objects.requireNonNull(retry);
    }
  }

  /** The worker ended before it had registered. */
  record EndedBeforeRegistration(WorkerId worker, Reason cause) implements WorkerReason {
    public EndedBeforeRegistration {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(cause);
    }
  }

  /** The worker did not register in time. */
  record RegistrationTimeout(WorkerId worker, Duration timeout, String option)
      implements WorkerReason {
    public RegistrationTimeout {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(timeout);
      Objects.requireNonNull(option);
    }
  }

  /** No job needs the worker any more. */
  record WorkerNotNeeded() implements WorkerReason {}

  /** No job has used the worker for the idle time. */
  record WorkerIdle(Duration timeout) implements WorkerReason {
    public WorkerIdle {
      Objects.requireNonNull(timeout);
    }
  }

  /** No job uses the worker, and the limits leave no room beside it for one that a job needs. */
  record WorkerExceedsLimit() implements WorkerReason {}

  /** A released worker has not ended in time, as far as its driver says. */
  record ReleaseTimeout(Duration timeout) implements WorkerReason {
    public ReleaseTimeout {
      Objects.requireNonNull(timeout);
    }
  }

  /** The worker ended because it was released. */
  record WorkerReleased(Reason cause) implements WorkerReason {
    public WorkerReleased {
      Objects.requireNonNull(cause);
    }
  }
}
