package io.millrace.protocol.text;

import io.millrace.core.config.Durations;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.protocol.reason.WorkerReason;
import io.millrace.protocol.reason.WorkerReason.EndedBeforeRegistration;
import io.millrace.protocol.reason.WorkerReason.PreviousWorkersAwaited;
import io.millrace.protocol.reason.WorkerReason.RegistrationTimeout;
import io.millrace.protocol.reason.WorkerReason.ReleaseTimeout;
import io.millrace.protocol.reason.WorkerReason.StartsFailing;
import io.millrace.protocol.reason.WorkerReason.WorkerExceedsLimit;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.protocol.reason.WorkerReason.WorkerReleased;
import io.millrace.protocol.reason.WorkerReason.WorkersEnding;
import io.millrace.protocol.reason.WorkerReason.WorkersRequested;

/** The sentences of {@link WorkerReason}. */
final class WorkerReasonText {
  private WorkerReasonText() {}

  static String of(WorkerReason reason) {
    if (reason instanceof WorkersRequested requested) {
      return "Asked the driver '"
          + requested.driver()
          + "' for "
          + Plural.of(requested.workers(), "worker")
          + requested.size().map(size -> " with " + size).orElse("")
          + starting(requested.starting(), requested.workers());
    } else if (reason instanceof PreviousWorkersAwaited awaited) {
      return "Waits for "
          + Plural.of(awaited.workers(), "worker")
          + " that "
          + Plural.was(awaited.workers())
          + " there before to register again.";
    } else if (reason instanceof WorkersEnding ending) {
      return ending(ending);
    } else if (reason instanceof StartsFailing failing) {
      return failing(failing);
    } else if (reason instanceof EndedBeforeRegistration ended) {
      return "Worker "
          + ended.worker()
          + " ended before it had registered: "
          + ReasonText.of(ended.cause());
    } else if (reason instanceof RegistrationTimeout late) {
      return "Worker "
          + late.worker()
          + " did not register within "
          + Durations.readable(late.timeout())
          + " ("
          + late.option()
          + ").";
    } else if (reason instanceof WorkerNotNeeded) {
      return "It is not needed any more.";
    } else if (reason instanceof WorkerIdle idle) {
      return "It has not been used for "
          + Durations.readable(idle.timeout())
          + " ("
          + ResourceManagerOptions.TASK_MANAGER_TIMEOUT.key()
          + ").";
    } else if (reason instanceof WorkerExceedsLimit) {
      return "No job uses it, a job waits for a worker of another size, and the limits leave no"
          + " room for both.";
    } else if (reason instanceof ReleaseTimeout late) {
      return "It was released and has not ended within "
          + Durations.readable(late.timeout())
          + " ("
          + ResourceManagerOptions.TASK_MANAGER_RELEASE_TIMEOUT.key()
          + ").";
    } else if (reason instanceof WorkerReleased released) {
      return "It was released: " + ReasonText.of(released.cause());
    } else {
      throw new IllegalArgumentException("No text for " + reason.getClass());
    }
  }

  /** The same failure has the same sentence, whichever worker had it; the number is apart. */
  private static String failing(StartsFailing failing) {
    return "The last start of a worker failed: "
        + (failing.last() instanceof EndedBeforeRegistration ended
            ? "it ended before it had registered: " + ReasonText.of(ended.cause())
            : ReasonText.of(failing.last()))
        + (failing.paused()
            ? " Starting pauses, because "
                + Plural.of(failing.lastMinute(), "start")
                + " failed within a minute ("
                + ResourceManagerOptions.START_WORKER_MAX_FAILURE_RATE.key()
                + ")."
            : (failing.lastMinute() > 1
                    ? " " + Plural.of(failing.lastMinute(), "start") + " failed within a minute."
                    : "")
                + " It is retried every "
                + Durations.readable(failing.retry())
                + " ("
                + ResourceManagerOptions.START_WORKER_RETRY_INTERVAL.key()
                + ").");
  }

  private static String starting(int count, int of) {
    if (count == 0) {
      return ".";
    }
    return count < of
        ? "; " + count + " of them " + Plural.is(count) + " starting."
        : count == 1 ? "; it is starting." : "; they are starting.";
  }

  private static String ending(WorkersEnding ending) {
    boolean one = ending.workers() == 1;
    return Plural.of(ending.workers(), "worker")
        + (one ? " is ending and still counts" : " are ending and still count")
        + " until the driver '"
        + ending.driver()
        + "' says that "
        + (one ? "it is" : "they are")
        + " gone, for up to "
        + Durations.readable(ending.timeout())
        + " ("
        + ResourceManagerOptions.TASK_MANAGER_RELEASE_TIMEOUT.key()
        + ").";
  }
}
