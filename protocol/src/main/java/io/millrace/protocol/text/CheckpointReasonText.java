package io.millrace.protocol.text;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Durations;
import io.millrace.protocol.reason.CheckpointReason;
import io.millrace.protocol.reason.CheckpointReason.AllTasksFinished;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.CheckpointReason.CheckpointSubsumed;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.CheckpointReason.StopInProgress;
import io.millrace.protocol.reason.CheckpointReason.TaskNotRunning;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.protocol.reason.CheckpointReason.TooManyFailedCheckpoints;

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
    } else if (reason instanceof SnapshotFailed failed) {
      return "Task "
          + failed.task()
          + " could not store its state: "
          + ReasonText.closed(failed.message());
    } else if (reason instanceof CheckpointStorageFailed failed) {
      return "The checkpoint could not be stored: " + ReasonText.closed(failed.message());
    } else if (reason instanceof TasksEnding) {
      return "Tasks of the job failed or ended during the checkpoint.";
    } else if (reason instanceof CheckpointSubsumed subsumed) {
      return "Checkpoint " + subsumed.later() + " completed first.";
    } else if (reason instanceof StopInProgress) {
      return "The job is already being stopped with a savepoint.";
    } else if (reason instanceof TooManyFailedCheckpoints failed) {
      return Plural.of(failed.failed(), "consecutive checkpoint")
          + " failed, "
          + failed.tolerated()
          + " may fail ("
          + CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS.key()
          + "). The last one: "
          + ReasonText.of(failed.last());
    }
    throw new IllegalArgumentException("No text for " + reason.getClass());
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
        + " did not store their state: "
        + named
        + (others > 0 ? " and " + Plural.of(others, "other") : "")
        + ".";
  }
}
