package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.accumulator.AverageAccumulator;
import io.millrace.api.accumulator.DoubleCounter;
import io.millrace.api.accumulator.DoubleMaximum;
import io.millrace.api.accumulator.DoubleMinimum;
import io.millrace.api.accumulator.HistogramAccumulator;
import io.millrace.api.accumulator.IntCounter;
import io.millrace.api.accumulator.ListAccumulator;
import io.millrace.api.accumulator.LongCounter;
import io.millrace.api.accumulator.LongMaximum;
import io.millrace.api.accumulator.LongMinimum;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobDetails;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What functions count, in the result of the job and in its details. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AccumulatorsTest {
  private static final int RECORDS = 12;

  /** Counts all records in all ways. */
  private static final class Counting implements MapFunction<Long, Long>, RichFunction {
    private static final long serialVersionUID = 1L;

    /** The record at which the first attempt fails; -1 for none. */
    private final long failing;

    private transient boolean first;
    private transient IntCounter ints;
    private transient LongCounter longs;
    private transient DoubleCounter doubles;
    private transient AverageAccumulator average;
    private transient LongMinimum least;
    private transient LongMaximum most;
    private transient DoubleMinimum low;
    private transient DoubleMaximum high;
    private transient HistogramAccumulator histogram;
    private transient ListAccumulator list;

    Counting(long failing) {
      this.failing = failing;
    }

    @Override
    public void open(RuntimeContext context) {
      first = context.attempt() == 0;
      ints = context.accumulator("ints", IntCounter::new);
      longs = context.accumulator("longs", LongCounter::new);
      doubles = context.accumulator("doubles", DoubleCounter::new);
      average = context.accumulator("average", AverageAccumulator::new);
      least = context.accumulator("least", LongMinimum::new);
      most = context.accumulator("most", LongMaximum::new);
      low = context.accumulator("low", DoubleMinimum::new);
      high = context.accumulator("high", DoubleMaximum::new);
      histogram = context.accumulator("histogram", HistogramAccumulator::new);
      list = context.accumulator("list", ListAccumulator::new);
    }

    @Override
    public void close() {}

    @Override
    public Long map(Long number) {
      ints.add(1);
      longs.add(number);
      doubles.add(0.5);
      average.add(number);
      least.add(number);
      most.add(number);
      low.add(number);
      high.add(number);
      histogram.add((int) (number % 3));
      list.add("r" + number);
      if (first && number == failing) {
        throw new IllegalStateException("the first attempt fails");
      }
      return number;
    }
  }

  private static final class Confusing implements MapFunction<Long, Long>, RichFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public void open(RuntimeContext context) {
      context.accumulator("same", IntCounter::new);
      context.accumulator("same", LongCounter::new);
    }

    @Override
    public void close() {}

    @Override
    public Long map(Long number) {
      return number;
    }
  }

  private static JobExecutionResult run(
      EmbeddedCluster cluster, Configuration configuration, MapFunction<Long, Long> function)
      throws Exception {
    ClusterJobExecutor executor =
        new ClusterJobExecutor(
            cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
    return new ProgramContext(executor, configuration)
        .during(
            () -> {
              StreamEnvironment env = StreamEnvironment.current().parallelism(3);
              env.generate(number -> number, RECORDS).map(function).print();
              return env.execute();
            });
  }

  @Test
  @Behaviour("I1: accumulators of functions are merged over tasks, in the result and in REST")
  void resultHasTheValuesOverAllTasks() throws Exception {
    try (EmbeddedCluster cluster = new EmbeddedCluster(Configuration.EMPTY)) {
      assertCounted(cluster, run(cluster, Configuration.EMPTY, new Counting(-1)));
    }
  }

  @Test
  void attemptsThatAreReplacedDoNotCount() throws Exception {
    Configuration restarting =
        Configuration.EMPTY
            .with(RestartStrategyOptions.RESTART_STRATEGY.key(), "fixed-delay")
            .with(RestartStrategyOptions.FIXED_DELAY.key(), "1 ms");
    try (EmbeddedCluster cluster = new EmbeddedCluster(Configuration.EMPTY)) {
      JobExecutionResult result = run(cluster, restarting, new Counting(RECORDS - 1));
      assertCounted(cluster, result);
      JobDetails job = cluster.describe(result.id()).orElseThrow();
      assertThat(job.restarts()).isPositive();
      assertThat(job.earlier()).isNotEmpty();
      assertThat(job.failures().get(0).endpoint())
          .isEqualTo(job.earlier().get(0).details().endpoint());
    }
  }

  private static void assertCounted(EmbeddedCluster cluster, JobExecutionResult result) {
    assertThat(result.accumulator("ints")).contains(RECORDS);
    assertThat(result.accumulator("longs")).contains(66L);
    assertThat(result.accumulator("doubles")).contains(6.0);
    assertThat(result.accumulator("average")).contains(5.5);
    assertThat(result.accumulator("least")).contains(0L);
    assertThat(result.accumulator("most")).contains(11L);
    assertThat(result.accumulator("low")).contains(0.0);
    assertThat(result.accumulator("high")).contains(11.0);
    assertThat(result.accumulator("histogram")).contains(Map.of(0, 4, 1, 4, 2, 4));
    assertThat((List<?>) result.accumulator("list").orElseThrow()).hasSize(RECORDS);
    assertThat(result.accumulator("none")).isEmpty();
    assertThat(
            cluster.describe(result.id()).orElseThrow().vertices().stream()
                .flatMap(vertex -> vertex.subtasks().stream())
                .filter(subtask -> !subtask.counters().orElseThrow().accumulators().isEmpty()))
        .hasSize(3);
  }

  @Test
  void aNameHasOneType() throws Exception {
    try (EmbeddedCluster cluster = new EmbeddedCluster(Configuration.EMPTY)) {
      assertThatThrownBy(() -> run(cluster, Configuration.EMPTY, new Confusing()))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("Accumulator 'same' has the type IntCounter in this task");
    }
  }
}
