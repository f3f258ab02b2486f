package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.reason.Reason;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One checkpoint or savepoint in the statistics of a job. Times are milliseconds since the epoch.
 *
 * @param totals sums over the subtasks that have stored their state
 * @param path the directory of a completed one
 * @param discarded whether its files are deleted
 * @param failure present exactly for {@link Status#FAILED}
 * @param vertices its vertices with the subtasks that take part; empty in lists of checkpoints
 */
public record CheckpointRecord(
    long number,
    CheckpointRequest.Type type,
    Status status,
    long triggeredAt,
    CheckpointTotals totals,
    Optional<String> path,
    boolean discarded,
    Optional<CheckpointFailure> failure,
    List<VertexRecord> vertices) {
  public CheckpointRecord {
    Objects.requireNonNull(type);
    Objects.requireNonNull(status);
    Objects.requireNonNull(totals);
    Objects.requireNonNull(path);
    Objects.requireNonNull(failure);
    vertices = OrderedCopies.list(vertices);
  }

  /** This checkpoint, stored in a directory. */
  public CheckpointRecord completed(String directory) {
    return new CheckpointRecord(
        number,
        type,
        Status.COMPLETED,
        triggeredAt,
        totals,
        Optional.of(directory),
        discarded,
        failure,
        vertices);
  }

  /** This checkpoint, given up. */
  public CheckpointRecord failed(CheckpointFailure cause) {
    return new CheckpointRecord(
        number,
        type,
        Status.FAILED,
        triggeredAt,
        totals,
        path,
        discarded,
        Optional.of(cause),
        vertices);
  }

  /** This checkpoint after its files are deleted. */
  public CheckpointRecord withoutFiles() {
    return new CheckpointRecord(
        number, type, status, triggeredAt, totals, path, true, failure, vertices);
  }

  public CheckpointRecord withoutVertices() {
    return new CheckpointRecord(
        number, type, status, triggeredAt, totals, path, discarded, failure, List.of());
  }

  /** From the trigger to the last subtask that has stored its state; 0 if there is none yet. */
  public long durationMillis() {
    return totals.durationMillis(triggeredAt);
  }

  /** The outcome of a checkpoint. */
  public enum Status {
    IN_PROGRESS,
    COMPLETED,
    FAILED
  }

  /** When and why a checkpoint was given up. */
  public record CheckpointFailure(long at, Reason reason) {
    public CheckpointFailure {
      Objects.requireNonNull(reason);
    }
  }

  /**
   * Sums over subtasks.
   *
   * @param subtasks how many take part
   * @param acknowledged how many have stored their state
   * @param latestAcknowledgement when the last of these did; -1 if there is none
   * @param bytes the size of their state
   * @param newBytes what they have written; the rest is in files of earlier checkpoints
   * @param processedBytes what was processed during the alignment
   * @param persistedBytes the size of the records that barriers overtook
   */
  public record CheckpointTotals(
      int subtasks,
      int acknowledged,
      long latestAcknowledgement,
      long bytes,
      long newBytes,
      long processedBytes,
      long persistedBytes) {

    /** The totals of some of {@code subtasks} subtasks. */
    public static CheckpointTotals of(int subtasks, List<SubtaskRecord> acknowledged) {
      return new CheckpointTotals(
          subtasks,
          acknowledged.size(),
          acknowledged.stream().mapToLong(SubtaskRecord::acknowledgedAt).max().orElse(-1),
          acknowledged.stream().mapToLong(SubtaskRecord::bytes).sum(),
          acknowledged.stream().mapToLong(SubtaskRecord::newBytes).sum(),
          acknowledged.stream().mapToLong(subtask -> subtask.timing().alignedBytes()).sum(),
          acknowledged.stream().mapToLong(SubtaskRecord::persistedBytes).sum());
    }

    public long durationMillis(long triggeredAt) {
      return latestAcknowledgement < 0 ? 0 : Math.max(0, latestAcknowledgement - triggeredAt);
    }
  }

  /**
   * A vertex of a checkpoint.
   *
   * @param subtasks how many of its subtasks take part
   * @param acknowledged those that have stored their state, in the order of their indexes
   */
  public record VertexRecord(VertexId vertex, int subtasks, List<SubtaskRecord> acknowledged) {
    public VertexRecord {
      Objects.requireNonNull(vertex);
      acknowledged = OrderedCopies.list(acknowledged);
    }

    public CheckpointTotals totals() {
      return CheckpointTotals.of(subtasks, acknowledged);
    }
  }

  /**
   * A subtask that has stored its state.
   *
   * @param bytes the size of its state, with the records that barriers overtook
   * @param newBytes what it has written; the rest is in files of earlier checkpoints
   * @param persistedBytes the size of these records
   */
  public record SubtaskRecord(
      int index,
      long acknowledgedAt,
      long bytes,
      long newBytes,
      long persistedBytes,
      TaskSnapshot.Timing timing) {
    public SubtaskRecord {
      Objects.requireNonNull(timing);
    }
  }
}
