package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.Id128;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The checkpoints of a job since its JobMaster became the leader.
 *
 * @param restored the last state that tasks were deployed with
 * @param history newest first, bounded by {@code web.checkpoints.history}
 * @param operations the requests of users, newest first, bounded
 */
public record CheckpointStatistics(
    CheckpointCounts counts,
    CheckpointSummary summary,
    Optional<CheckpointRecord> latestCompleted,
    Optional<CheckpointRecord> latestFailed,
    Optional<CheckpointRecord> latestSavepoint,
    Optional<RestoredState> restored,
    List<CheckpointRecord> history,
    List<CheckpointOperation> operations) {
  public static final CheckpointStatistics NONE =
      new CheckpointStatistics(
          new CheckpointCounts(0, 0, 0, 0, 0),
          new CheckpointSummary(
              Distribution.EMPTY,
              Distribution.EMPTY,
              Distribution.EMPTY,
              Distribution.EMPTY,
              Distribution.EMPTY),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          List.of(),
          List.of());

  public CheckpointStatistics {
    Objects.requireNonNull(counts);
    Objects.requireNonNull(summary);
    Objects.requireNonNull(latestCompleted);
    Objects.requireNonNull(latestFailed);
    Objects.requireNonNull(latestSavepoint);
    Objects.requireNonNull(restored);
    history = OrderedCopies.list(history);
    operations = OrderedCopies.list(operations);
  }

  /** A checkpoint that is shown, also if it is older than the history. */
  public Optional<CheckpointRecord> find(long number) {
    return history.stream()
        .filter(checkpoint -> checkpoint.number() == number)
        .findFirst()
        .or(() -> latestCompleted.filter(checkpoint -> checkpoint.number() == number))
        .or(() -> latestFailed.filter(checkpoint -> checkpoint.number() == number))
        .or(() -> latestSavepoint.filter(checkpoint -> checkpoint.number() == number));
  }

  /** These statistics with the subtasks of one checkpoint. */
  public CheckpointStatistics with(CheckpointRecord detailed) {
    UnaryOperator<CheckpointRecord> replace =
        known -> known.number() == detailed.number() ? detailed : known;
    return new CheckpointStatistics(
        counts,
        summary,
        latestCompleted.map(replace),
        latestFailed.map(replace),
        latestSavepoint.map(replace),
        restored,
        history.stream().map(replace).toList(),
        operations);
  }

  public Optional<CheckpointOperation> operation(Id128 id) {
    return operations.stream().filter(operation -> operation.id().equals(id)).findFirst();
  }

  public CheckpointStatistics with(List<CheckpointOperation> requested) {
    return new CheckpointStatistics(
        counts,
        summary,
        latestCompleted,
        latestFailed,
        latestSavepoint,
        restored,
        history,
        requested);
  }

  /** These statistics as they fit into a message, whatever the parallelism. */
  public CheckpointStatistics withoutVertices() {
    return new CheckpointStatistics(
        counts,
        summary,
        latestCompleted.map(CheckpointRecord::withoutVertices),
        latestFailed.map(CheckpointRecord::withoutVertices),
        latestSavepoint.map(CheckpointRecord::withoutVertices),
        restored,
        history.stream().map(CheckpointRecord::withoutVertices).toList(),
        operations);
  }

  /**
   * @param restored how often tasks were deployed with state
   */
  public record CheckpointCounts(
      long restored, long total, long inProgress, long completed, long failed) {}

  /** Distributions over the completed checkpoints. */
  public record CheckpointSummary(
      Distribution bytes,
      Distribution newBytes,
      Distribution durationMillis,
      Distribution processedBytes,
      Distribution persistedBytes) {
    public CheckpointSummary {
      Objects.requireNonNull(bytes);
      Objects.requireNonNull(newBytes);
      Objects.requireNonNull(durationMillis);
      Objects.requireNonNull(processedBytes);
      Objects.requireNonNull(persistedBytes);
    }
  }

  /** The distribution of a number. Quantiles of no values are NaN. */
  public record Distribution(
      long min,
      long max,
      long average,
      double p50,
      double p90,
      double p95,
      double p99,
      double p999) {
    public static final Distribution EMPTY = of(new long[0]);

    /**
     * @param sorted ascending
     */
    public static Distribution of(long[] sorted) {
      if (sorted.length == 0) {
        return new Distribution(
            0, 0, 0, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
      }
      long sum = 0;
      for (long value : sorted) {
        sum += value;
      }
      return new Distribution(
          sorted[0],
          sorted[sorted.length - 1],
          sum / sorted.length,
          at(sorted, 0.5),
          at(sorted, 0.9),
          at(sorted, 0.95),
          at(sorted, 0.99),
          at(sorted, 0.999));
    }

    /** Interpolates between neighbours; the position of quantile q among n values is q (n + 1). */
    private static double at(long[] sorted, double quantile) {
      double position = Math.min(Math.max(quantile * (sorted.length + 1), 1), sorted.length);
      int below = (int) position;
      long low = sorted[below - 1];
      long high = sorted[Math.min(below, sorted.length - 1)];
      return low + (high - low) * (position - below);
    }
  }

  /** The state that tasks were deployed with. */
  public record RestoredState(long checkpoint, long at, boolean savepoint, String path) {
    public RestoredState {
      Objects.requireNonNull(path);
    }
  }
}
