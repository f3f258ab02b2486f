package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.Id128;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.CheckpointRecord.CheckpointFailure;
import io.millrace.protocol.CheckpointRecord.CheckpointTotals;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointRecord.SubtaskRecord;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics.Distribution;
import io.millrace.protocol.reason.CheckpointReason;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is computed from the checkpoints of a job, and how much of them fits into a message. */
class CheckpointStatisticsTest {
  private static final int SEEDS = 200;

  // --- distributions

  /** The definition, with exact numbers: q (n + 1) is a position between two neighbours. */
  private static double quantile(long[] sorted, String q) {
    BigDecimal position = new BigDecimal(q).multiply(BigDecimal.valueOf(sorted.length + 1L));
    position = position.max(BigDecimal.ONE).min(BigDecimal.valueOf(sorted.length));
    int below = position.intValue();
    BigDecimal low = BigDecimal.valueOf(sorted[below - 1]);
    BigDecimal high = BigDecimal.valueOf(sorted[Math.min(below, sorted.length - 1)]);
    BigDecimal part = position.subtract(BigDecimal.valueOf(below));
    return low.add(high.subtract(low).multiply(part)).doubleValue();
  }

  @Test
  void distributionHasTheQuantilesOfItsDefinition() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      long[] sorted =
          random.longs(1 + random.nextInt(30), 0, seed % 3 == 0 ? 10 : 1L << 40).sorted().toArray();

      Distribution distribution = Distribution.of(sorted);

      double tolerance = Math.max(1e-6, sorted[sorted.length - 1] * 1e-9);
      assertThat(distribution.min()).isEqualTo(sorted[0]);
      assertThat(distribution.max()).isEqualTo(sorted[sorted.length - 1]);
      assertThat(distribution.average())
          .as("seed %d", seed)
          .isEqualTo(
              BigDecimal.valueOf(Arrays.stream(sorted).sum())
                  .divide(BigDecimal.valueOf(sorted.length), MathContext.DECIMAL128)
                  .longValue());
      assertThat(distribution.p50()).isCloseTo(quantile(sorted, "0.5"), within(tolerance));
      assertThat(distribution.p90()).isCloseTo(quantile(sorted, "0.9"), within(tolerance));
      assertThat(distribution.p95()).isCloseTo(quantile(sorted, "0.95"), within(tolerance));
      assertThat(distribution.p99()).isCloseTo(quantile(sorted, "0.99"), within(tolerance));
      assertThat(distribution.p999()).isCloseTo(quantile(sorted, "0.999"), within(tolerance));
      assertThat(
              List.of(
                  (double) distribution.min(),
                  distribution.p50(),
                  distribution.p90(),
                  distribution.p95(),
                  distribution.p99(),
                  distribution.p999(),
                  (double) distribution.max()))
          .as("seed %d", seed)
          .isSorted();
    }
  }

  @Test
  void quantilesOfFewValuesAreTheirNeighbours() {
    assertThat(Distribution.of(new long[] {7})).isEqualTo(new Distribution(7, 7, 7, 7, 7, 7, 7, 7));
    assertThat(Distribution.of(new long[] {10, 20}).p50()).isEqualTo(15);
    assertThat(Distribution.of(new long[] {1, 2, 3}).p50()).isEqualTo(2);
    assertThat(Distribution.of(new long[] {1, 2, 3, 4}).p50()).isEqualTo(2.5);
    assertThat(Distribution.of(new long[] {1, 2, 3, 4}).p99()).isEqualTo(4);
  }

  @Test
  void withoutValuesThereAreNoQuantiles() {
    assertThat(Distribution.EMPTY.min()).isZero();
    assertThat(Distribution.EMPTY.max()).isZero();
    assertThat(Distribution.EMPTY.p50()).isNaN();
    assertThat(Distribution.EMPTY.p999()).isNaN();
  }

  // --- totals

  private static SubtaskRecord subtask(int index, long at, long bytes) {
    return new SubtaskRecord(
        index,
        at,
        bytes,
        bytes / 2,
        bytes / 10,
        new TaskSnapshot.Timing(1, 2, 3, 4, bytes * 3, false));
  }

  @Test
  void totalsAreSumsOverTheSubtasksThatHaveStoredTheirState() {
    CheckpointTotals totals =
        CheckpointTotals.of(5, List.of(subtask(0, 130, 100), subtask(3, 170, 20)));

    assertThat(totals).isEqualTo(new CheckpointTotals(5, 2, 170, 120, 60, 360, 12));
    assertThat(new VertexRecord(new VertexId(new Id128(0, 1)), 5, List.of()).totals())
        .isEqualTo(new CheckpointTotals(5, 0, -1, 0, 0, 0, 0));
  }

  @ParameterizedTest
  @CsvSource({"-1, 100, 0", "100, 100, 0", "150, 100, 50", "90, 100, 0", "0, 0, 0"})
  void durationEndsWithTheLastSubtaskAndIsNotNegative(long last, long triggered, long millis) {
    CheckpointTotals totals = new CheckpointTotals(2, 1, last, 0, 0, 0, 0);

    assertThat(totals.durationMillis(triggered)).isEqualTo(millis);
  }

  // --- records

  private static CheckpointRecord record(long number, int subtasks) {
    List<SubtaskRecord> stored = new ArrayList<>();
    for (int i = 0; i < subtasks; i++) {
      stored.add(subtask(i, 1_700_000_000_000L + i, 1L << 30));
    }
    VertexRecord vertex = new VertexRecord(new VertexId(new Id128(number, 1)), subtasks, stored);
    return new CheckpointRecord(
        number,
        CheckpointRequest.Type.CHECKPOINT,
        Status.IN_PROGRESS,
        1_700_000_000_000L,
        vertex.totals(),
        Optional.empty(),
        false,
        Optional.empty(),
        List.of(vertex));
  }

  @Test
  void completedFailedAndDeletedCheckpointsKeepTheRest() {
    CheckpointRecord begun = record(7, 3);
    CheckpointFailure failure = new CheckpointFailure(9, new CheckpointReason.TasksEnding());

    CheckpointRecord completed = begun.completed("/chk-7");
    CheckpointRecord failed = begun.failed(failure);
    CheckpointRecord deleted = completed.withoutFiles();

    assertThat(completed.status()).isEqualTo(Status.COMPLETED);
    assertThat(completed.path()).contains("/chk-7");
    assertThat(completed)
        .usingRecursiveComparison()
        .ignoringFields("status", "path")
        .isEqualTo(begun);
    assertThat(failed.status()).isEqualTo(Status.FAILED);
    assertThat(failed.failure()).contains(failure);
    assertThat(failed)
        .usingRecursiveComparison()
        .ignoringFields("status", "failure")
        .isEqualTo(begun);
    assertThat(deleted.discarded()).isTrue();
    assertThat(deleted).usingRecursiveComparison().ignoringFields("discarded").isEqualTo(completed);
    assertThat(begun.durationMillis()).isEqualTo(2);
  }

  // --- statistics

  private static CheckpointStatistics statistics(
      Optional<CheckpointRecord> completed,
      Optional<CheckpointRecord> failed,
      Optional<CheckpointRecord> savepoint,
      CheckpointRecord... history) {
    CheckpointStatistics none = CheckpointStatistics.NONE;
    return new CheckpointStatistics(
        none.counts(),
        none.summary(),
        completed,
        failed,
        savepoint,
        none.restored(),
        List.of(history),
        List.of());
  }

  @Test
  void checkpointIsFoundInTheHistoryAndAmongTheLatestOfEachKind() {
    CheckpointRecord shown = record(9, 1);
    CheckpointStatistics statistics =
        statistics(
            Optional.of(record(9, 2)),
            Optional.of(record(3, 1)),
            Optional.of(record(2, 1)),
            shown,
            record(8, 1));

    assertThat(statistics.find(9)).as("the history comes first").contains(shown);
    assertThat(statistics.find(8)).contains(record(8, 1));
    assertThat(statistics.find(3)).contains(record(3, 1));
    assertThat(statistics.find(2)).contains(record(2, 1));
    assertThat(statistics.find(7)).isEmpty();
    assertThat(CheckpointStatistics.NONE.find(0)).isEmpty();
  }

  @Test
  void subtasksOfOneCheckpointAreAddedWhereverItIsShown() {
    CheckpointRecord detailed = record(9, 4);
    CheckpointStatistics statistics =
        statistics(
            Optional.of(record(9, 4)),
            Optional.of(record(3, 1)),
            Optional.of(record(9, 4)),
            record(9, 4),
            record(8, 2));

    CheckpointStatistics shown = statistics.withoutVertices().with(detailed);

    assertThat(shown.latestCompleted()).contains(detailed);
    assertThat(shown.latestSavepoint()).contains(detailed);
    assertThat(shown.history()).containsExactly(detailed, record(8, 2).withoutVertices());
    assertThat(shown.latestFailed()).contains(record(3, 1).withoutVertices());
    assertThat(shown.with(record(77, 1))).as("an unknown one").isEqualTo(shown);
  }

  @Test
  void nothingButSubtasksIsLeftOut() {
    for (int seed = 0; seed < SEEDS; seed++) {
      CheckpointStatistics full = RecordGenerator.ofSeed(seed).record(CheckpointStatistics.class);
      CheckpointStatistics brief = full.withoutVertices();

      assertThat(
              Stream.of(brief.latestCompleted(), brief.latestFailed(), brief.latestSavepoint())
                  .flatMap(Optional::stream))
          .allMatch(checkpoint -> checkpoint.vertices().isEmpty());
      assertThat(brief.history()).allMatch(checkpoint -> checkpoint.vertices().isEmpty());
      assertThat(brief)
          .usingRecursiveComparison()
          .ignoringFieldsMatchingRegexes(".*vertices")
          .as("seed %d", seed)
          .isEqualTo(full);
    }
  }

  /** The list of checkpoints of any job is one message. */
  @Test
  void listOfCheckpointsFitsIntoAMessageWhateverTheParallelism() {
    CheckpointRecord[] history = new CheckpointRecord[10];
    for (int i = 0; i < history.length; i++) {
      history[i] = record(i, 20_000);
    }
    CheckpointStatistics statistics =
        statistics(
            Optional.of(history[0]), Optional.of(history[1]), Optional.of(history[2]), history);

    byte[] message = Messages.codec().encode(statistics.withoutVertices());

    assertThat(message.length).isLessThan(10_000);
  }

  @Test
  void oneCheckpointOfTenThousandSubtasksFitsIntoAMessage() {
    byte[] message =
        Messages.codec()
            .encode(new DispatcherGateway.CheckpointAnswer(Optional.of(record(1, 10_000))));

    assertThat(message.length).isLessThan(RecordCodec.DEFAULT_MAX_BYTES);
  }

  // --- requests of users

  private static CheckpointOperation operation(
      int id, Optional<CompletedCheckpoint> completed, Optional<Failure> failure) {
    return new CheckpointOperation(
        new Id128(0, id), CheckpointRequest.Type.SAVEPOINT, completed, failure);
  }

  @Test
  void requestIsInProgressUntilItHasAResultOrAFailure() {
    CompletedCheckpoint completed = RecordGenerator.filled().record(CompletedCheckpoint.class);
    Failure failure = Failure.of(ErrorKind.USER, "no");

    assertThat(operation(1, Optional.empty(), Optional.empty()).isDone()).isFalse();
    assertThat(operation(1, Optional.of(completed), Optional.empty()).isDone()).isTrue();
    assertThat(operation(1, Optional.empty(), Optional.of(failure)).isDone()).isTrue();
  }

  @Test
  void requestIsFoundByItsId() {
    List<CheckpointOperation> operations =
        List.of(
            operation(1, Optional.empty(), Optional.empty()),
            operation(2, Optional.empty(), Optional.empty()));
    CheckpointStatistics statistics = CheckpointStatistics.NONE.with(operations);

    assertThat(statistics.operation(new Id128(0, 2))).contains(operations.get(1));
    assertThat(statistics.operation(new Id128(0, 3))).isEmpty();
    assertThat(statistics.with(List.of())).isEqualTo(CheckpointStatistics.NONE);
  }
}
