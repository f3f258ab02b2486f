package io.millrace.protocol.text;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Durations;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.ApplicationDeregistered;
import io.millrace.protocol.journal.ResourceManagerEvent.DataSetKept;
import io.millrace.protocol.journal.ResourceManagerEvent.DataSetReleased;
import io.millrace.protocol.journal.ResourceManagerEvent.JobForgotten;
import io.millrace.protocol.journal.ResourceManagerEvent.JobMasterLost;
import io.millrace.protocol.journal.ResourceManagerEvent.JobMasterRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.RequirementsFailed;
import io.millrace.protocol.journal.ResourceManagerEvent.RequirementsReceived;
import io.millrace.protocol.journal.ResourceManagerEvent.ResourceManagerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.ResultsHeld;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotAdopted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotRefused;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotRequestsAnswered;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsAllocated;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsGranted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsMissing;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReleased;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsRequested;
import io.millrace.protocol.journal.ResourceManagerEvent.TargetBlocked;
import io.millrace.protocol.journal.ResourceManagerEvent.TargetUnblocked;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerLost;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenExpired;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenNotNeeded;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenNotRenewed;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenNotTaken;
import io.millrace.protocol.journal.ResourceManagerEvent.TokenObtained;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerAssumedGone;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerEnded;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerFound;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerReleased;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerRequestCancelled;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStartFailed;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStartsPaused;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkersLimited;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkersRequested;

/** The sentences of {@link ResourceManagerEvent}. */
final class ResourceManagerEventText {
  private ResourceManagerEventText() {}

  static String of(ResourceManagerEvent event) {
    if (event instanceof ResourceManagerStarted started) {
      return "The ResourceManager begins its term "
          + started.term()
          + ". Started in this order: "
          + String.join(", ", started.services())
          + ".";
    } else if (event instanceof ApplicationDeregistered deregistered) {
      return "The application has ended: " + deregistered.status() + ".";
    } else if (event instanceof RequirementsReceived received) {
      return "The job needs " + Plural.of(received.slots(), "slot") + " in all.";
    } else if (event instanceof SlotsRequested requested) {
      return Plural.of(requested.slots(), "slot")
          + " requested of "
          + requested
              .only()
              .map(worker -> "worker " + worker)
              .orElseGet(() -> Plural.of(requested.workers(), "worker"))
          + ", "
          + choice(requested)
          + ".";
    } else if (event instanceof SlotsGranted granted) {
      return Plural.of(granted.slots(), "slot") + " granted.";
    } else if (event instanceof SlotRequestsAnswered answered) {
      return Plural.of(answered.granted(), "slot")
          + " granted by "
          + Plural.of(answered.workers(), "worker")
          + (answered.refused() == 0 ? "." : ", " + answered.refused() + " refused.");
    } else if (event instanceof SlotsAllocated allocated) {
      return Plural.of(allocated.slots(), "slot") + " granted by workers.";
    } else if (event instanceof SlotsReleased released) {
      return Plural.of(released.slots(), "slot") + " returned.";
    } else if (event instanceof SlotAdopted adopted) {
      return SlotReasonText.place(adopted.slot()) + " belongs to the job already.";
    } else if (event instanceof SlotRefused refused) {
      return SlotReasonText.place(refused.slot())
          + " was refused: "
          + ReasonText.of(refused.reason());
    } else if (event instanceof SlotsMissing missing) {
      return ReasonText.of(missing.reason());
    } else if (event instanceof RequirementsFailed failed) {
      return ReasonText.of(failed.reason());
    } else if (event instanceof JobMasterRegistered registered) {
      return "Registered from " + registered.address() + ".";
    } else if (event instanceof JobMasterLost lost) {
      return ReasonText.of(lost.reason());
    } else if (event instanceof JobForgotten forgotten) {
      return ReasonText.of(forgotten.reason());
    } else if (event instanceof TaskManagerRegistered registered) {
      return "Registered from " + registered.address() + ".";
    } else if (event instanceof TaskManagerLost lost) {
      return ReasonText.of(lost.reason());
    } else if (event instanceof SlotsReported reported) {
      return Plural.of(reported.slots(), "slot") + " reported.";
    } else if (event instanceof TargetBlocked blocked) {
      return blocked.target()
          + " is blocked for "
          + Durations.readable(blocked.time())
          + ": "
          + ReasonText.closed(blocked.cause());
    } else if (event instanceof TargetUnblocked unblocked) {
      return unblocked.target()
          + " is not blocked any more: "
          + (unblocked.expired() ? "its time is over." : "the user has unblocked it.");
    } else if (event instanceof WorkersLimited limited) {
      return "There may be "
          + Plural.of(limited.most(), "worker")
          + (limited.inherited() ? ", as was said before this term began." : ".");
    } else if (event instanceof ResultsHeld results) {
      return results(results);
    } else if (event instanceof DataSetKept kept) {
      return kept.id() + " is kept in " + Plural.of(kept.partitions(), "partition") + ".";
    } else if (event instanceof DataSetReleased released) {
      return released.id()
          + " is deleted: "
          + switch (released.cause()) {
            case BY_USER -> "the user has deleted it.";
            case DUPLICATE -> "another job has computed it before.";
            case INCOMPLETE -> "some of it is lost.";
          };
    } else {
      return worker(event);
    }
  }

  /** How workers were chosen, and the option that decides it. */
  static String choice(SlotsRequested requested) {
    return (requested.spread()
            ? "the least used workers first ("
            : "filling one worker after the other (")
        + ClusterOptions.EVENLY_SPREAD_OUT_SLOTS.key()
        + ": "
        + requested.spread()
        + ")";
  }

  private static String worker(ResourceManagerEvent event) {
    if (event instanceof WorkerFound) {
      return "It still runs from an earlier attempt.";
    } else if (event instanceof WorkersRequested requested) {
      return "Asked the driver '"
          + requested.driver()
          + "' for "
          + Plural.of(requested.workers(), "worker")
          + requested.size().map(size -> " with " + size).orElse("")
          + ".";
    } else if (event instanceof WorkerRequestCancelled cancelled) {
      return ReasonText.of(cancelled.reason());
    } else if (event instanceof WorkerStarted) {
      return "It is expected to register.";
    } else if (event instanceof WorkerStartFailed failed) {
      return ReasonText.of(failed.reason());
    } else if (event instanceof WorkerStartsPaused paused) {
      return ReasonText.of(paused.reason());
    } else if (event instanceof WorkerReleased released) {
      return ReasonText.of(released.reason());
    } else if (event instanceof WorkerEnded ended) {
      return ReasonText.of(ended.reason());
    } else if (event instanceof WorkerAssumedGone gone) {
      return "Worker "
          + gone.worker()
          + " was told to end "
          + Durations.readable(gone.timeout())
          + " ago, and the driver '"
          + gone.driver()
          + "' has not reported that it has ended. From now on it does not count ("
          + ResourceManagerOptions.TASK_MANAGER_RELEASE_TIMEOUT.key()
          + "). If its process still runs, end it.";
    } else {
      return token(event);
    }
  }

  private static String token(ResourceManagerEvent event) {
    if (event instanceof TokenObtained obtained) {
      return "The token of '"
          + obtained.service()
          + "' was obtained. "
          + obtained
              .life()
              .map(
                  life ->
                      "It is valid for "
                          + Durations.readable(life)
                          + obtained
                              .renewal()
                              .map(due -> "; the next one is due in " + Durations.readable(due))
                              .orElse("")
                          + ".")
              .orElse("It does not expire.");
    } else if (event instanceof TokenNotNeeded unneeded) {
      return "'" + unneeded.service() + "' needs no token.";
    } else if (event instanceof TokenNotRenewed failed) {
      return "The token of '"
          + failed.service()
          + "' was not renewed ("
          + (failed.failures() == 1 ? "once" : failed.failures() + " times")
          + " in a row): "
          + ReasonText.of(failed.reason())
          + " The next try is in "
          + Durations.readable(failed.retry())
          + ".";
    } else if (event instanceof TokenNotTaken refused) {
      return "Worker "
          + refused.worker()
          + " has not accepted the newest tokens and continues with older ones: "
          + ReasonText.of(refused.reason())
          + " They are sent again in "
          + Durations.readable(refused.retry())
          + ".";
    } else if (event instanceof TokenExpired expired) {
      return "The token of '"
          + expired.service()
          + "' has expired and no new one was obtained. Tasks that use the service will fail.";
    } else {
      throw new IllegalArgumentException("No text for " + event.getClass());
    }
  }

  private static String results(ResultsHeld results) {
    return results.held()
        ? "It has results that a job may need and is not idle: "
            + Plural.of(results.partitions(), "partition")
            + " "
            + Plural.is(results.partitions())
            + " kept"
            + (results.undecided() ? ", and there are more of jobs that run." : ".")
        : "It no longer has results that a job may need.";
  }
}
