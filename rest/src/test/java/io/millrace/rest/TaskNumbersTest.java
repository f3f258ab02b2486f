package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskRates;
import io.millrace.task.TaskState;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Quantiles, rates and times of tasks, without a server. */
class TaskNumbersTest {
  private static final ExecutionId EXECUTION = new ExecutionId(new Id128(0, 1));

  @Test
  void quantilesOfNothingAreZero() {
    JsonObject none = Quantiles.of(new long[0]);

    assertThat(none.fieldNames())
        .containsExactly("min", "max", "avg", "sum", "median", "p25", "p75", "p95");
    assertThat(none.stream().map(Map.Entry::getValue))
        .allMatch(value -> value.equals(0L) || value.equals(0));
  }

  @Test
  void quantilesOfOneValueAreThatValue() {
    JsonObject one = Quantiles.of(new long[] {7});

    for (String name : List.of("min", "max", "avg", "sum", "median", "p25", "p75", "p95")) {
      assertThat(one.getLong(name)).as(name).isEqualTo(7);
    }
  }

  @Test
  void quantilesLieBetweenTheirNeighbours() {
    JsonObject four = Quantiles.of(new long[] {40, 10, 30, 20});

    assertThat(four.getLong("min")).isEqualTo(10);
    assertThat(four.getLong("max")).isEqualTo(40);
    assertThat(four.getLong("sum")).isEqualTo(100);
    assertThat(four.getLong("avg")).isEqualTo(25);
    assertThat(four.getLong("median")).isEqualTo(25);
    assertThat(four.getLong("p25")).as("position 1.25").isEqualTo(12);
    assertThat(four.getLong("p75")).as("position 3.75").isEqualTo(37);
    assertThat(four.getLong("p95")).as("position 4.75, which is the last").isEqualTo(40);
  }

  @Test
  void quantilesOfAnyNumbersAreOrderedAndWithinThem() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      long[] values = random.longs(random.nextInt(1, 40), 0, 1_000_000).toArray();
      long[] before = values.clone();

      JsonObject json = Quantiles.of(values);

      assertThat(values).as("seed %d: the values are not sorted in place", seed).isEqualTo(before);
      assertThat(json.getLong("min"))
          .as("seed %d", seed)
          .isEqualTo(LongStream.of(values).min().orElseThrow());
      assertThat(json.getLong("max"))
          .as("seed %d", seed)
          .isEqualTo(LongStream.of(values).max().orElseThrow());
      assertThat(
              List.of(
                  json.getLong("min"),
                  json.getLong("p25"),
                  json.getLong("median"),
                  json.getLong("p75"),
                  json.getLong("p95"),
                  json.getLong("max")))
          .as("seed %d", seed)
          .isSorted();
    }
  }

  @Test
  void rateIsTheGrowthBetweenTwoReports() {
    TaskRates rates =
        new TaskRates(
            Optional.of(counters(3_000, 40, 1_000, 500, 500)),
            Optional.of(counters(1_000, 10, 200, 200, 100)));

    // 1.5 s passed: 800 ms busy, 300 ms back-pressured, 400 ms idle.
    assertThat(rates.perSecond(TaskCounters::recordsIn)).isEqualTo(2_000 / 1.5, within(0.001));
    assertThat(rates.perSecond(TaskCounters::recordsOut)).isEqualTo(30 / 1.5, within(0.001));
    assertThat(rates.busy()).isEqualTo(800 / 1500.0, within(0.0001));
    assertThat(rates.backPressured()).isEqualTo(300 / 1500.0, within(0.0001));
    assertThat(rates.idle()).isEqualTo(400 / 1500.0, within(0.0001));
    assertThat(rates.busy() + rates.idle() + rates.backPressured()).isEqualTo(1, within(0.0001));
  }

  @Test
  void rateOfOneReportIsSinceTheStart() {
    TaskRates rates =
        new TaskRates(Optional.of(counters(3_000, 0, 500, 250, 250)), Optional.empty());

    assertThat(rates.perSecond(TaskCounters::recordsIn)).isEqualTo(3_000, within(0.001));
    assertThat(rates.busy()).isEqualTo(0.5, within(0.0001));
  }

  @Test
  void rateIsZeroWithoutReportsOrTimeAndNeverNegative() {
    TaskCounters counters = counters(5, 5, 1, 1, 1);

    assertThat(new TaskRates(Optional.empty(), Optional.empty()).busy()).isZero();
    assertThat(
            new TaskRates(Optional.of(counters), Optional.of(counters))
                .perSecond(TaskCounters::recordsIn))
        .isZero();
    assertThat(
            new TaskRates(
                    Optional.of(counters(1, 0, 10, 0, 0)), Optional.of(counters(9, 0, 1, 0, 0)))
                .perSecond(TaskCounters::recordsIn))
        .as("a worker that restarted counts from 0")
        .isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = TaskState.class,
      names = {"FINISHED", "CANCELED", "FAILED"})
  void taskThatHasEndedDoesNothingNow(TaskState state) {
    SubtaskDetails ended = subtask(state, Map.of(), Optional.of(counters(9, 9, 1_000, 0, 0)));

    assertThat(ended.rates().busy()).isZero();
    assertThat(subtask(TaskState.RUNNING, Map.of(), ended.counters()).rates().busy())
        .isEqualTo(1, within(0.0001));
  }

  @Test
  void vertexRunsFromTheFirstDeploymentToTheLastEnd() {
    SubtaskDetails first =
        subtask(
            TaskState.FINISHED,
            times(TaskState.DEPLOYING, 100, TaskState.FINISHED, 500),
            Optional.empty());
    SubtaskDetails second =
        subtask(
            TaskState.FAILED,
            times(TaskState.DEPLOYING, 90, TaskState.FAILED, 700),
            Optional.empty());
    SubtaskDetails running =
        subtask(TaskState.RUNNING, times(TaskState.DEPLOYING, 95), Optional.empty());
    SubtaskDetails waiting =
        subtask(TaskState.SCHEDULED, times(TaskState.SCHEDULED, 80), Optional.empty());

    assertThat(TaskTimes.of(List.of(first, second), 1_000)).isEqualTo(new TaskTimes(90, 700, 610));
    assertThat(TaskTimes.of(List.of(first, running), 1_000)).isEqualTo(new TaskTimes(95, -1, 905));
    assertThat(TaskTimes.of(List.of(waiting), 1_000)).isEqualTo(new TaskTimes(-1, -1, -1));
    assertThat(TaskTimes.of(List.of(waiting, running), 1_000))
        .isEqualTo(new TaskTimes(95, -1, 905));
  }

  /** Cancelled before its deployment: it never ran, so that it has no times. */
  @Test
  void taskThatNeverRanHasNoEnd() {
    SubtaskDetails cancelled =
        subtask(TaskState.CANCELED, times(TaskState.CANCELED, 200), Optional.empty());

    assertThat(TaskTimes.of(List.of(cancelled), 1_000)).isEqualTo(new TaskTimes(-1, -1, -1));
  }

  @ParameterizedTest
  @CsvSource({"-1, -1, -1", "100, -1, 900", "100, 400, 300", "100, 100, 0"})
  void durationIsUntilTheEndOrNow(long start, long end, long duration) {
    assertThat(TaskTimes.of(start, end, 1_000)).isEqualTo(new TaskTimes(start, end, duration));
  }

  @Test
  void stateLastsUntilTheNextOneOrNow() {
    SubtaskDetails running =
        subtask(
            TaskState.RUNNING,
            times(TaskState.CREATED, 10, TaskState.DEPLOYING, 40, TaskState.RUNNING, 100),
            Optional.empty());

    assertThat(TaskTimes.lasted(running, TaskState.CREATED, 1_000)).isEqualTo(30);
    assertThat(TaskTimes.lasted(running, TaskState.SCHEDULED, 1_000)).isEqualTo(-1);
    assertThat(TaskTimes.lasted(running, TaskState.DEPLOYING, 1_000)).isEqualTo(60);
    assertThat(TaskTimes.lasted(running, TaskState.RUNNING, 1_000)).isEqualTo(900);
    assertThat(TaskTimes.entered(running, TaskState.DEPLOYING)).isEqualTo(40);
    assertThat(TaskTimes.entered(running, TaskState.FAILED)).isEqualTo(-1);
  }

  @Test
  void countersOfAllSubtasksAreAddedAndSaidToBeComplete() {
    SubtaskDetails one =
        subtask(TaskState.RUNNING, Map.of(), Optional.of(counters(10, 20, 1, 2, 3)));
    SubtaskDetails two =
        subtask(TaskState.RUNNING, Map.of(), Optional.of(counters(30, 40, 4, 5, 6)));
    SubtaskDetails silent = subtask(TaskState.RUNNING, Map.of(), Optional.empty());

    JsonObject both = TaskMetric.sums(List.of(one, two));
    assertThat(both.getLong("read-records")).isEqualTo(40);
    assertThat(both.getLong("write-records")).isEqualTo(60);
    assertThat(both.getBoolean("read-records-complete")).isTrue();
    assertThat(both.getLong("accumulated-backpressured-time")).isEqualTo(7);
    assertThat(both.getLong("accumulated-idle-time")).isEqualTo(9);
    assertThat(both.getValue("accumulated-busy-time")).isEqualTo(5.0);
    assertThat(both.containsKey("accumulated-busy-time-complete")).isFalse();

    JsonObject partial = TaskMetric.sums(List.of(one, silent));
    assertThat(partial.getLong("read-records")).isEqualTo(10);
    assertThat(partial.getBoolean("read-records-complete")).isFalse();
  }

  private static TaskCounters counters(
      long in, long out, long busy, long backPressured, long idle) {
    return new TaskCounters(EXECUTION, in, out, 0, 0, busy, backPressured, idle);
  }

  private static Map<TaskState, Long> times(Object... statesAndTimes) {
    Map<TaskState, Long> times = new LinkedHashMap<>();
    for (int i = 0; i < statesAndTimes.length; i += 2) {
      times.put((TaskState) statesAndTimes[i], ((Integer) statesAndTimes[i + 1]).longValue());
    }
    return times;
  }

  private static SubtaskDetails subtask(
      TaskState state, Map<TaskState, Long> times, Optional<TaskCounters> counters) {
    List<TaskState> order = List.of(TaskState.values());
    long[] entered = new long[order.size()];
    Arrays.fill(entered, -1);
    times.forEach((passed, time) -> entered[order.indexOf(passed)] = time);
    return new SubtaskDetails(
        EXECUTION, 0, state, Optional.empty(), entered, counters, Optional.empty());
  }
}
