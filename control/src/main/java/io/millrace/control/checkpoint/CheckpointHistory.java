package io.millrace.control.checkpoint;

import io.millrace.control.checkpoint.CheckpointPlan.Participant;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.CheckpointFailure;
import io.millrace.protocol.CheckpointRecord.CheckpointTotals;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointRecord.SubtaskRecord;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.CheckpointCounts;
import io.millrace.protocol.CheckpointStatistics.CheckpointSummary;
import io.millrace.protocol.CheckpointStatistics.Distribution;
import io.millrace.protocol.CheckpointStatistics.RestoredState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * The statistics of a job's checkpoints under one leader. It holds a bounded number of checkpoints,
 * and the latest of each outcome beyond that. Times are milliseconds since the epoch.
 */
public final class CheckpointHistory {
  /** The number of completed checkpoints that the summary covers. */
  private static final int SUMMARIZED = 1_000;

  private final int capacity;
  private final TreeMap<Long, Entry> pending = new TreeMap<>();

  /** Ended checkpoints, newest last. */
  private final Deque<CheckpointRecord> ended = new ArrayDeque<>();

  /** Totals of completed checkpoints with their durations, newest last. */
  private final Deque<CheckpointRecord> summarized = new ArrayDeque<>();

  private Optional<CheckpointRecord> latestCompleted = Optional.empty();
  private Optional<CheckpointRecord> latestFailed = Optional.empty();
  private Optional<CheckpointRecord> latestSavepoint = Optional.empty();
  private Optional<RestoredState> restored = Optional.empty();
  private long restores;
  private long total;
  private long completed;
  private long failed;

  /**
   * @param capacity the number of ended checkpoints that are kept
   */
  public CheckpointHistory(int capacity) {
    this.capacity = capacity;
  }

  /** A checkpoint whose snapshots arrive. */
  private static final class Entry {
    final long number;
    final CheckpointRequest.Type type;
    final long triggeredAt;
    final Map<ExecutionId, Participant> tasks = new LinkedHashMap<>();
    final Map<VertexId, TreeMap<Integer, SubtaskRecord>> acknowledged = new LinkedHashMap<>();

    Entry(CheckpointProgress.Triggered triggered, long now) {
      number = triggered.checkpoint();
      type = triggered.type();
      triggeredAt = now;
      for (Participant task : triggered.tasks()) {
        tasks.put(task.execution(), task);
        acknowledged.computeIfAbsent(task.vertex(), vertex -> new TreeMap<>());
      }
    }

    void add(TaskSnapshot snapshot, long now) {
      Participant task = tasks.get(snapshot.execution());
      if (task != null) {
        long overtaken =
            snapshot.inFlight().stream().mapToLong(records -> records.handle().size()).sum();
        acknowledged
            .get(task.vertex())
            .putIfAbsent(
                task.subtask(),
                new SubtaskRecord(
                    task.subtask(),
                    now,
                    snapshot.size(),
                    snapshot.newBytes(number),
                    overtaken,
                    snapshot.timing()));
      }
    }

    CheckpointRecord inProgress() {
      Map<VertexId, Integer> sizes = new LinkedHashMap<>();
      tasks.values().forEach(task -> sizes.merge(task.vertex(), 1, Integer::sum));
      List<VertexRecord> vertices = new ArrayList<>();
      List<SubtaskRecord> all = new ArrayList<>();
      acknowledged.forEach(
          (vertex, subtasks) -> {
            vertices.add(
                new VertexRecord(vertex, sizes.get(vertex), new ArrayList<>(subtasks.values())));
            all.addAll(subtasks.values());
          });
      return new CheckpointRecord(
          number,
          type,
          Status.IN_PROGRESS,
          triggeredAt,
          CheckpointTotals.of(tasks.size(), all),
          Optional.empty(),
          false,
          Optional.empty(),
          vertices);
    }
  }

  /** Tasks are deployed with the state of a checkpoint. */
  public void restored(RestoredState state) {
    restores++;
    restored = Optional.of(state);
  }

  /** Tasks have stored their state. Snapshots of other tasks are ignored. */
  public void acknowledged(long checkpoint, List<TaskSnapshot> snapshots, long now) {
    Entry entry = pending.get(checkpoint);
    if (entry != null) {
      snapshots.forEach(snapshot -> entry.add(snapshot, now));
    }
  }

  public void progress(CheckpointProgress progress, long now) {
    if (progress instanceof CheckpointProgress.Triggered triggered) {
      total++;
      pending.put(triggered.checkpoint(), new Entry(triggered, now));
    } else if (progress instanceof CheckpointProgress.Completed done) {
      Entry entry = pending.remove(done.checkpoint());
      completed++;
      CheckpointRecord record = entry.inProgress().completed(done.completed().directory());
      if (entry.type.isSavepoint()) {
        latestSavepoint = Optional.of(record);
      } else {
        latestCompleted = Optional.of(record);
      }
      summarized.add(record.withoutVertices());
      if (summarized.size() > SUMMARIZED) {
        summarized.remove();
      }
      add(record);
    } else if (progress instanceof CheckpointProgress.Aborted aborted) {
      Entry entry = pending.remove(aborted.checkpoint());
      failed++;
      CheckpointRecord record =
          entry.inProgress().failed(new CheckpointFailure(now, aborted.reason()));
      latestFailed = Optional.of(record);
      add(record);
    } else if (progress instanceof CheckpointProgress.Abandoned abandoned) {
      latestCompleted = latestCompleted.filter(record -> record.number() != abandoned.checkpoint());
    } else {
      throw new IllegalArgumentException("Unknown progress " + progress);
    }
  }

  private void add(CheckpointRecord record) {
    ended.add(record);
    if (ended.size() > capacity) {
      ended.remove();
    }
  }

  /** The files of a completed checkpoint are deleted. */
  public void discarded(String path) {
    List<CheckpointRecord> before = new ArrayList<>(ended);
    ended.clear();
    before.forEach(record -> ended.add(discarded(record, path)));
    latestCompleted = latestCompleted.map(record -> discarded(record, path));
  }

  private static CheckpointRecord discarded(CheckpointRecord record, String path) {
    return record.path().equals(Optional.of(path)) ? record.withoutFiles() : record;
  }

  public CheckpointStatistics statistics() {
    TreeMap<Long, CheckpointRecord> history = new TreeMap<>();
    ended.forEach(record -> history.put(record.number(), record));
    pending.forEach((number, entry) -> history.put(number, entry.inProgress()));
    return new CheckpointStatistics(
        new CheckpointCounts(restores, total, pending.size(), completed, failed),
        new CheckpointSummary(
            distribution(record -> record.totals().bytes()),
            distribution(record -> record.totals().newBytes()),
            distribution(CheckpointRecord::durationMillis),
            distribution(record -> record.totals().processedBytes()),
            distribution(record -> record.totals().persistedBytes())),
        latestCompleted,
        latestFailed,
        latestSavepoint,
        restored,
        new ArrayList<>(history.descendingMap().values()),
        List.of());
  }

  private Distribution distribution(ToLongFunction<CheckpointRecord> value) {
    return Distribution.of(summarized.stream().mapToLong(value).sorted().toArray());
  }
}
