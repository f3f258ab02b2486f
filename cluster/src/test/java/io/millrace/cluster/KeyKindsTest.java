package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.Collector;
import io.millrace.api.function.KeySelector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RuntimeMode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys of all types: equal keys are processed by one task with one state. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class KeyKindsTest {
  private static final int RECORDS = 300;
  private static final int KEYS = 10;

  private record Pair(UUID id, Inner inner) {}

  private record Inner(BigDecimal amount, LocalDate day) {}

  private static final class Account {
    private final String bank;
    private final long number;

    Account(String bank, long number) {
      this.bank = bank;
      this.number = number;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Account that && that.number == number && that.bank.equals(bank);
    }

    @Override
    public int hashCode() {
      return Objects.hash(bank, number);
    }
  }

  @Test
  void equalKeysAreCountedTogether() throws Exception {
    assertCounted(number -> new UUID(7, number));
    assertCounted(number -> BigDecimal.valueOf(number, 2));
    assertCounted(number -> BigInteger.TWO.pow((int) (number + 60)));
    assertCounted(number -> Instant.ofEpochMilli(number));
    assertCounted(number -> LocalDate.ofEpochDay(number).atStartOfDay(ZoneOffset.UTC));
    assertCounted(number -> new byte[] {1, (byte) (long) number});
    assertCounted(number -> new Account("mill", number));
    assertCounted(
        number ->
            new Pair(
                new UUID(number, 0),
                new Inner(BigDecimal.valueOf(number), LocalDate.ofEpochDay(number))));
  }

  private static <K> void assertCounted(KeySelector<Long, K> key) throws Exception {
    List<Long> counts =
        run(
            env ->
                numbers(env).keyBy(key).count().map(counted -> counted.count()).collect().toList());
    assertThat(counts).hasSize(KEYS).allMatch(count -> count == RECORDS / KEYS);
  }

  @Test
  void windowsWithByteArrayKeysContainAllRecordsOfKey() throws Exception {
    List<Long> counts =
        run(
            env -> {
              DataStream<Long> numbers =
                  numbers(env)
                      .assignTimestampsAndWatermarks(
                          WatermarkStrategy.forMonotonousTimestamps()
                              .withTimestampAssigner((number, before) -> 5));
              DataStream<Long> tumbling =
                  numbers
                      .map(number -> 1L)
                      .keyBy(one -> new byte[] {1})
                      .window(TumblingEventTimeWindows.of(Duration.ofMillis(10)))
                      .reduce(Long::sum);
              DataStream<Long> sliding =
                  numbers
                      .map(number -> 1L)
                      .keyBy(one -> new byte[] {1})
                      .window(
                          SlidingEventTimeWindows.of(Duration.ofMillis(10), Duration.ofMillis(5)))
                      .reduce(Long::sum);
              DataStream<Long> sessions =
                  numbers
                      .map(number -> 1L)
                      .keyBy(one -> new byte[] {1})
                      .window(EventTimeSessionWindows.withGap(Duration.ofMillis(10)))
                      .reduce(Long::sum);
              return tumbling.union(sliding, sessions).collect().toList();
            });
    assertThat(counts).hasSize(4).allMatch(count -> count == RECORDS);
  }

  /** Counts in keyed state and in a map state, and emits the counts from a timer. */
  private static final class Counting extends KeyedProcessFunction<byte[], Long, Long> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<Long> count;
    private transient MapState<byte[], Long> counts;

    @Override
    public void open(RuntimeContext context) {
      count = context.state(new ValueStateDescriptor<>("count"));
      counts = context.mapState(new MapStateDescriptor<>("counts"));
    }

    @Override
    public void process(Long number, Context<byte[]> context, Collector<Long> out) {
      Long before = count.value();
      count.update(before == null ? 1 : before + 1);
      byte[] inner = {(byte) (number % 2)};
      Long other = counts.get(inner);
      counts.put(inner, other == null ? 1 : other + 1);
      context.timerService().registerEventTimeTimer(1);
    }

    @Override
    public void onTimer(long time, OnTimerContext<byte[]> context, Collector<Long> out) {
      out.emit(count.value());
      long sum = 0;
      for (long one : counts.entries().values()) {
        sum += one;
      }
      out.emit(sum);
      out.emit(counts.get(new byte[] {0}));
    }
  }

  @Test
  void stateAndTimersCompareByteArraysByContent() throws Exception {
    List<Long> seen =
        run(
            env ->
                numbers(env)
                    .keyBy(number -> new byte[] {4, 2})
                    .process(new Counting())
                    .collect()
                    .toList());
    assertThat(seen).containsExactly((long) RECORDS, (long) RECORDS, RECORDS / 2L);
  }

  private static DataStream<Long> numbers(StreamEnvironment env) {
    return env.generate(index -> index % KEYS, RECORDS);
  }

  private static <T> T run(Function<StreamEnvironment, T> program) throws Exception {
    try (EmbeddedCluster cluster = new EmbeddedCluster(Configuration.EMPTY)) {
      return new ProgramContext(
              new ClusterJobExecutor(
                  cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE),
              Configuration.EMPTY)
          .during(
              () ->
                  program.apply(
                      StreamEnvironment.current().parallelism(3).runtimeMode(RuntimeMode.BATCH)));
    }
  }
}
