package io.millrace.rest.explain;

import io.millrace.core.MemorySize;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointRecord.SubtaskRecord;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.RestoredState;
import io.millrace.protocol.text.Plural;
import io.millrace.protocol.text.ReasonText;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How the checkpoints of a job go: how many there are, why one is slow, why the last one failed,
 * and with which one tasks started.
 */
public final class CheckpointReport {
  /** A checkpoint that takes longer is worth an explanation. */
  private static final long SLOW_MILLIS = 1_000;

  /** The number of missing subtasks of a vertex that are named. */
  private static final int NAMED = 3;

  /** By its own times: a TaskManager sends the snapshots of all its tasks together. */
  private static final Comparator<SubtaskRecord> BY_TIME =
      Comparator.<SubtaskRecord>comparingLong(subtask -> total(subtask.timing()))
          .thenComparingLong(SubtaskRecord::acknowledgedAt);

  private CheckpointReport() {}

  /** The numbers of the checkpoints that {@link #notes} explains by their subtasks. */
  public static List<Long> explained(CheckpointStatistics statistics, long now) {
    List<Long> numbers = new ArrayList<>();
    statistics
        .latestCompleted()
        .filter(last -> last.durationMillis() >= SLOW_MILLIS)
        .ifPresent(last -> numbers.add(last.number()));
    statistics.history().stream()
        .filter(checkpoint -> isSlowNow(checkpoint, now))
        .forEach(checkpoint -> numbers.add(checkpoint.number()));
    return numbers;
  }

  private static boolean isSlowNow(CheckpointRecord checkpoint, long now) {
    return checkpoint.status() == Status.IN_PROGRESS
        && now - checkpoint.triggeredAt() >= SLOW_MILLIS;
  }

  /**
   * Sentences for people; none if the job has no checkpoints.
   *
   * @param statistics with the subtasks of the checkpoints of {@link #explained}
   * @param graph of the job, for the names of tasks
   * @param now the time of the JobManager
   */
  public static List<String> notes(CheckpointStatistics statistics, JobGraph graph, long now) {
    List<String> notes = new ArrayList<>();
    statistics.restored().ifPresent(state -> notes.add(restored(state, now)));
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
        notes.add(inProgress(checkpoint, graph, now));
      }
      if (isSlowNow(checkpoint, now)) {
        slowest(checkpoint, graph).ifPresent(notes::add);
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

  /** What tasks started with; why they were restarted is in the chain of failures. */
  private static String restored(RestoredState state, long now) {
    return "Tasks last started with the state of "
        + (state.savepoint() ? "savepoint " : "checkpoint ")
        + state.checkpoint()
        + " in "
        + state.path()
        + ", "
        + JobSnapshot.lasted(state.at(), now)
        + " ago.";
  }

  private static String inProgress(CheckpointRecord checkpoint, JobGraph graph, long now) {
    return "Checkpoint "
        + checkpoint.number()
        + " is in progress for "
        + JobSnapshot.lasted(checkpoint.triggeredAt(), now)
        + ": "
        + checkpoint.totals().acknowledged()
        + " of "
        + Plural.of(checkpoint.totals().subtasks(), "task")
        + " have stored their state."
        + missing(checkpoint, graph);
  }

  private static long total(TaskSnapshot.Timing timing) {
    return timing.startDelay() + timing.alignment() + timing.synchronous() + timing.asynchronous();
  }

  /** Where the slowest subtask of a checkpoint spent its time. */
  private static Optional<String> slowest(CheckpointRecord checkpoint, JobGraph graph) {
    boolean done = checkpoint.status() != Status.IN_PROGRESS;
    return checkpoint.vertices().stream()
        .filter(vertex -> !vertex.acknowledged().isEmpty())
        .max(Comparator.comparing(CheckpointReport::slowest, BY_TIME))
        .map(
            vertex -> {
              SubtaskRecord subtask = slowest(vertex);
              return "The slowest task of checkpoint "
                  + checkpoint.number()
                  + (done ? " was " : " so far is ")
                  + name(vertex, graph)
                  + " ("
                  + (subtask.index() + 1)
                  + "/"
                  + vertex.subtasks()
                  + "): "
                  + parts(subtask.timing(), subtask.bytes())
                  + " "
                  + longestPart(subtask.timing(), checkpoint, graph);
            });
  }

  private static SubtaskRecord slowest(VertexRecord vertex) {
    return vertex.acknowledged().stream().max(BY_TIME).orElseThrow();
  }

  private static String parts(TaskSnapshot.Timing timing, long bytes) {
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
        + ".";
  }

  /** The part that took longest, and what causes it. */
  private static String longestPart(
      TaskSnapshot.Timing timing, CheckpointRecord checkpoint, JobGraph graph) {
    long longest =
        Math.max(
            Math.max(timing.startDelay(), timing.alignment()),
            Math.max(timing.synchronous(), timing.asynchronous()));
    if (longest == timing.startDelay()) {
      return "The first barrier came late: it waited behind records, because there is back"
          + " pressure or a slow task before it.";
    } else if (longest == timing.alignment()) {
      return "Alignment took longest: one of its inputs has back pressure."
          + (timing.unaligned() || checkpoint.type().isSavepoint()
              ? ""
              : " Barriers overtake records with "
                  + CheckpointingOptions.UNALIGNED.key()
                  + ": true.");
    } else if (longest == timing.synchronous()) {
      return "The synchronous part took longest: the task itself was busy with its snapshot.";
    }
    return "Writing its state took longest: it is large, or the storage "
        + storage(checkpoint, graph)
        + "is slow.";
  }

  private static String storage(CheckpointRecord checkpoint, JobGraph graph) {
    return checkpoint
        .path()
        .or(() -> graph.configuration().find(CheckpointingOptions.DIRECTORY))
        .map(path -> path + " ")
        .orElse("");
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
                        + "'"
                        + missingSubtasks(vertex, graph))
            .toList();
    return waiting.isEmpty() ? "" : " It waits for " + String.join(", ", waiting) + ".";
  }

  /** The first ones; none if subtasks have finished, which are not known here. */
  private static String missingSubtasks(VertexRecord vertex, JobGraph graph) {
    int parallelism = vertex(vertex, graph).map(JobVertex::parallelism).orElse(0);
    if (parallelism != vertex.subtasks()) {
      return "";
    }
    Set<Integer> stored = new HashSet<>();
    vertex.acknowledged().forEach(subtask -> stored.add(subtask.index()));
    List<String> missing = new ArrayList<>();
    for (int i = 0; i < parallelism; i++) {
      if (!stored.contains(i)) {
        missing.add((i + 1) + "/" + parallelism);
      }
    }
    return " ("
        + String.join(", ", missing.subList(0, Math.min(NAMED, missing.size())))
        + (missing.size() > NAMED ? ", …" : "")
        + ")";
  }

  private static Optional<JobVertex> vertex(VertexRecord vertex, JobGraph graph) {
    return graph.vertices().stream()
        .filter(known -> known.id().equals(vertex.vertex()))
        .findFirst();
  }

  private static String name(VertexRecord vertex, JobGraph graph) {
    return vertex(vertex, graph).map(JobVertex::name).orElseGet(() -> vertex.vertex().toString());
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
