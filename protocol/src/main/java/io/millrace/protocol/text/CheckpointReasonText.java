package io.millrace.protocol.text;

import io.millrace.core.MemorySize;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Durations;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.protocol.reason.CheckpointReason;
import io.millrace.protocol.reason.CheckpointReason.AllTasksFinished;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.CheckpointReason.CheckpointSubsumed;
import io.millrace.protocol.reason.CheckpointReason.NoReadableCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.SavepointUnusable;
import io.millrace.protocol.reason.CheckpointReason.SharedFilesDeleted;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.CheckpointReason.StateDoesNotFit;
import io.millrace.protocol.reason.CheckpointReason.StopInProgress;
import io.millrace.protocol.reason.CheckpointReason.StopInterrupted;
import io.millrace.protocol.reason.CheckpointReason.TaskNotRunning;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.protocol.reason.CheckpointReason.TooManyFailedCheckpoints;
import io.millrace.protocol.reason.CheckpointReason.TriggerNotAccepted;
import io.millrace.task.checkpoint.StateAssignment;
import java.util.stream.Collectors;

/** Reasons of checkpoints for people. */
final class CheckpointReasonText {
  private CheckpointReasonText() {}

  static String of(CheckpointReason reason) {
    if (reason instanceof TaskNotRunning not) {
      return "Task " + not.task() + " does not run yet.";
    } else if (reason instanceof AllTasksFinished) {
      return "All tasks of the job have finished.";
    } else if (reason instanceof CheckpointExpired expired) {
      return expired(expired);
    } else if (reason instanceof TriggerNotAccepted failed) {
      return "TaskManager "
          + failed.worker()
          + " did not take the request for the checkpoint: "
          + ReasonText.closed(failed.message());
    } else if (reason instanceof SnapshotFailed failed) {
      return "Task "
          + failed.task()
          + " could not store its state: "
          + ReasonText.closed(failed.message());
    } else if (reason instanceof CheckpointStorageFailed failed) {
      return "The checkpoint could not be stored: " + ReasonText.closed(failed.message());
    } else if (reason instanceof SharedFilesDeleted deleted) {
      return "It refers to "
          + Plural.of(deleted.count(), "shared file")
          + " of earlier checkpoints, for example "
          + deleted.file()
          + ", after their deletion: a TaskManager heard too late that a later checkpoint was"
          + " complete.";
    } else if (reason instanceof TasksEnding) {
      return "Tasks of the job failed or ended during the checkpoint.";
    } else if (reason instanceof CheckpointSubsumed subsumed) {
      return "Checkpoint " + subsumed.later() + " completed first.";
    } else if (reason instanceof StopInProgress) {
      return "The job is already being stopped with a savepoint.";
    } else if (reason instanceof StopInterrupted stop) {
      return "The savepoint is stored in "
          + stop.directory()
          + ", but tasks failed before the job had finished. See the status of the job: it may have"
          + " restarted from the savepoint.";
    } else if (reason instanceof TooManyFailedCheckpoints failed) {
      return Plural.of(failed.failed(), "consecutive checkpoint")
          + " failed, "
          + failed.tolerated()
          + " may fail ("
          + CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS.key()
          + "). The last one: "
          + ReasonText.of(failed.last());
    } else if (reason instanceof StateDoesNotFit unfit) {
      return "The job cannot start with the state of '"
          + unfit.path()
          + "'. "
          + unfit.misfits().stream()
              .map(CheckpointReasonText::misfit)
              .collect(Collectors.joining(" "));
    } else if (reason instanceof SavepointUnusable unusable) {
      return "The job cannot start with the state of '"
          + unusable.path()
          + "': "
          + ReasonText.closed(unusable.message());
    } else if (reason instanceof NoReadableCheckpoint unreadable) {
      return "No stored checkpoint of the job can be read. "
          + unreadable.errors().stream().map(ReasonText::closed).collect(Collectors.joining(" "));
    }
    throw new IllegalArgumentException("No text for " + reason.getClass());
  }

  private static String misfit(StateAssignment.Misfit misfit) {
    if (misfit instanceof StateAssignment.Misfit.UnclaimedState state) {
      return "It has "
          + new MemorySize(state.bytes())
          + " of state of operator '"
          + state.operator().name()
          + "' in '"
          + state.vertex()
          + "' ("
          + state.operator().id()
          + "), and the job has no operator with this id. Set the same uid, or drop the state with"
          + " -n ("
          + StateRecoveryOptions.IGNORE_UNCLAIMED_STATE.key()
          + ").";
    } else if (misfit instanceof StateAssignment.Misfit.UnclaimedRecords records) {
      return "It has "
          + new MemorySize(records.bytes())
          + " of records that were on their way from '"
          + records.source()
          + "' to '"
          + records.target()
          + "', and the job has no such edge. Start with a savepoint, which has no such records, or"
          + " drop them with -n ("
          + StateRecoveryOptions.IGNORE_UNCLAIMED_STATE.key()
          + ").";
    } else if (misfit instanceof StateAssignment.Misfit.OtherProgram other) {
      return "It was taken of job "
          + other.taken()
          + ", and the job has none of its "
          + Plural.of(other.operators(), "operator")
          + " with state: it is of another program, or ids of operators changed because"
          + " they have no uid. Use a savepoint of this program, set uids, or drop the state with"
          + " -n ("
          + StateRecoveryOptions.IGNORE_UNCLAIMED_STATE.key()
          + ").";
    } else if (misfit instanceof StateAssignment.Misfit.MaxParallelismChanged changed) {
      return "'"
          + changed.vertex()
          + "' had max parallelism "
          + changed.before()
          + " and has "
          + changed.now()
          + " now. Call maxParallelism("
          + changed.before()
          + ") or set "
          + PipelineOptions.MAX_PARALLELISM.key()
          + ".";
    }
    throw new IllegalArgumentException("No text for " + misfit.getClass());
  }

  private static String expired(CheckpointExpired expired) {
    String named = String.join(", ", expired.missing());
    int others = expired.missingCount() - expired.missing().size();
    return "It did not complete within "
        + Durations.readable(expired.timeout())
        + " ("
        + CheckpointingOptions.TIMEOUT.key()
        + "). "
        + Plural.of(expired.missingCount(), "task")
        + (expired.missingCount() == 1
            ? " did not store its state: "
            : " did not store their state: ")
        + named
        + (others > 0 ? " and " + Plural.of(others, "other") : "")
        + ".";
  }
}
