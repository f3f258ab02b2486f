package io.millrace.protocol.reason;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Why workers have not registered, have ended or are released. */
public sealed interface WorkerReason extends Reason {
  /**
   * Workers were requested from the driver and have not registered.
   *
   * @param size their resources, if they are not of the usual size
   * @param starting the number of workers that have started
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
   * Released workers still count for the limits.
   *
   * @param timeout the longest time for which they count
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
   * @param lastMinute the number of starts that failed within a minute
   * @param paused whether so many failed that starts pause
   * @param retry the pause after a failed start
   */
  record StartsFailing(Reason last, int lastMinute, boolean paused, Duration retry)
      implements WorkerReason {
    public StartsFailing {
      Objects.requireNonNull(last);
      Objects.requireNonNull(retry);
    }
  }

  /** The worker ended before it registered. */
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

  /** No job needs the worker. */
  record WorkerNotNeeded() implements WorkerReason {}

  /** No job has used the worker for the idle time-out. */
  record WorkerIdle(Duration timeout) implements WorkerReason {
    public WorkerIdle {
      Objects.requireNonNull(timeout);
    }
  }

  /** No job uses the worker, and the limits do not allow another worker that a job needs. */
  record WorkerExceedsLimit() implements WorkerReason {}

  /** The driver has not reported in time that a released worker has ended. */
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
