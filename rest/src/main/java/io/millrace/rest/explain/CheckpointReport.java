package io.millrace.rest.explain;

import io.millrace.core.MemorySize;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.text.Plural;
import io.millrace.protocol.text.ReasonText;
import java.util.ArrayList;
import java.util.List;

/** How the checkpoints of a job go: how many there are, which are slow, why the last one failed. */
public final class CheckpointReport {
  private CheckpointReport() {}

  /**
   * Sentences for people; none if the job has no checkpoints.
   *
   * @param now the time of the JobManager
   */
  public static List<String> notes(CheckpointStatistics statistics, long now) {
    List<String> notes = new ArrayList<>();
    if (statistics.counts().total() == 0) {
      return notes;
    }
    notes.add(
        Plural.of(statistics.counts().completed(), "checkpoint")
            + " completed, "
            + statistics.counts().failed()
            + " failed."
            + statistics.latestCompleted().map(CheckpointReport::last).orElse(""));
    for (CheckpointRecord checkpoint : statistics.history()) {
      if (checkpoint.status() == Status.IN_PROGRESS) {
        notes.add(
            "Checkpoint "
                + checkpoint.number()
                + " is in progress for "
                + JobSnapshot.lasted(checkpoint.triggeredAt(), now)
                + ": "
                + checkpoint.totals().acknowledged()
                + " of "
                + Plural.of(checkpoint.totals().subtasks(), "task")
                + " have stored their state.");
      }
    }
    statistics
        .latestFailed()
        .ifPresent(
            failed ->
                notes.add(
                    "Checkpoint "
                        + failed.number()
                        + " failed: "
                        + Phrases.sentence(
                            ReasonText.of(failed.failure().orElseThrow().reason()))));
    return notes;
  }

  private static String last(CheckpointRecord checkpoint) {
    return " The last one, "
        + checkpoint.number()
        + ", stored "
        + new MemorySize(checkpoint.totals().bytes())
        + " in "
        + JobSnapshot.lasted(0, checkpoint.durationMillis())
        + ".";
  }
}
