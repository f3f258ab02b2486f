package io.millrace.rest.explain;

import io.millrace.core.MemorySize;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointRecord.SubtaskRecord;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.text.Plural;
import io.millrace.protocol.text.ReasonText;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** How the checkpoints of a job go: how many there are, which are slow, why the last one failed. */
public final class CheckpointReport {
  /** A checkpoint that takes longer is worth an explanation. */
  private static final long SLOW_MILLIS = 1_000;

  private CheckpointReport() {}

  /**
   * Sentences for people; none if the job has no checkpoints.
   *
   * @param graph of the job, for the names of tasks
   * @param now the time of the JobManager
   */
  public static List<String> notes(CheckpointStatistics statistics, JobGraph graph, long now) {
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
    statistics
        .latestCompleted()
        .filter(last -> last.durationMillis() >= SLOW_MILLIS)
        .flatMap(last -> slowest(last, graph))
        .ifPresent(notes::add);
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
                + " have stored their state."
                + missing(checkpoint, graph));
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

  /** Where the slowest subtask of a checkpoint spent its time. */
  private static Optional<String> slowest(CheckpointRecord checkpoint, JobGraph graph) {
    Optional<VertexRecord> vertex =
        checkpoint.vertices().stream()
            .filter(one -> !one.acknowledged().isEmpty())
            .max(Comparator.comparingLong(one -> one.totals().latestAcknowledgement()));
    return vertex.map(
        slow -> {
          SubtaskRecord subtask =
              slow.acknowledged().stream()
                  .max(Comparator.comparingLong(SubtaskRecord::acknowledgedAt))
                  .orElseThrow();
          return "The slowest task of checkpoint "
              + checkpoint.number()
              + " was "
              + name(slow, graph)
              + " ("
              + (subtask.index() + 1)
              + "/"
              + slow.subtasks()
              + "): "
              + parts(subtask.timing(), subtask.bytes());
        });
  }

  private static String parts(TaskSnapshot.Timing timing, long bytes) {
    String longest =
        timing.startDelay() + timing.alignment() >= timing.synchronous() + timing.asynchronous()
            ? "Barriers waited behind records: there is back pressure or a slow task before it."
            : timing.synchronous() > timing.asynchronous()
                ? "The task itself was busy with its snapshot."
                : "Writing its state took longest: it is large, or the storage is slow.";
    return "the first barrier came after "
        + JobSnapshot.lasted(0, timing.startDelay())
        + ", alignment took "
        + JobSnapshot.lasted(0, timing.alignment())
        + ", the synchronous part "
        + JobSnapshot.lasted(0, timing.synchronous())
        + ", writing "
        + new MemorySize(bytes)
        + " "
        + JobSnapshot.lasted(0, timing.asynchronous())
        + ". "
        + longest;
  }

  /** The tasks that a checkpoint waits for. */
  private static String missing(CheckpointRecord checkpoint, JobGraph graph) {
    List<String> waiting =
        checkpoint.vertices().stream()
            .filter(vertex -> vertex.acknowledged().size() < vertex.subtasks())
            .map(
                vertex ->
                    vertex.subtasks()
                        - vertex.acknowledged().size()
                        + " of "
                        + vertex.subtasks()
                        + " of '"
                        + name(vertex, graph)
                        + "'")
            .toList();
    return waiting.isEmpty() ? "" : " It waits for " + String.join(", ", waiting) + ".";
  }

  private static String name(VertexRecord vertex, JobGraph graph) {
    return graph.vertices().stream()
        .filter(known -> known.id().equals(vertex.vertex()))
        .map(JobVertex::name)
        .findFirst()
        .orElseGet(() -> vertex.vertex().toString());
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
