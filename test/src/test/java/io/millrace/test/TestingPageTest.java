package io.millrace.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.api.AsyncDataStream;
import io.millrace.api.Counted;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedBroadcastProcessFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.core.config.RuntimeMode;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of docs/testing.md, which runs here. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class TestingPageTest {
  record Reading(String sensor, long value) implements Serializable {}

  record Order(String customer, int amount) implements Serializable {}

  record Rule(String name, int least) implements Serializable {}

  static final MapStateDescriptor<String, Integer> RULES = new MapStateDescriptor<>("rules");

  /** Emits an alert if a sensor has sent nothing for a minute, and forgets it. */
  static final class SilenceAlert extends KeyedProcessFunction<String, Reading, String> {
    private static final long serialVersionUID = 1L;
    static final ValueStateDescriptor<Long> LAST = new ValueStateDescriptor<>("last");
    private transient ValueState<Long> last;

    @Override
    public void open(RuntimeContext context) {
      last = context.state(LAST);
    }

    @Override
    public void process(
        Reading reading, KeyedProcessFunction.Context<String> context, Collector<String> out) {
      last.update(context.timestamp());
      context.timerService().registerEventTimeTimer(context.timestamp() + 60_000);
    }

    @Override
    public void onTimer(
        long time, KeyedProcessFunction.OnTimerContext<String> context, Collector<String> out) {
      if (last.value() + 60_000 == time) {
        last.clear();
        out.emit(context.currentKey() + " is silent");
      }
    }
  }

  static final class Highest implements AggregateFunction<Reading, Long, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long create() {
      return 0L;
    }

    @Override
    public Long add(Long highest, Reading reading) {
      return Math.max(highest, reading.value());
    }

    @Override
    public Long result(Long highest) {
      return highest;
    }
  }

  static final class Apply extends KeyedBroadcastProcessFunction<String, Order, Rule, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(Order order, ReadOnlyContext<String> context, Collector<String> out) {
      context
          .broadcastState(RULES)
          .entries()
          .forEach(
              (name, least) -> {
                if (order.amount() >= least) {
                  out.emit(order.customer() + ": " + name);
                }
              });
    }

    @Override
    public void processBroadcast(
        Rule rule, KeyedBroadcastProcessFunction.Context<String> context, Collector<String> out) {
      context.broadcastState(RULES).put(rule.name(), rule.least());
    }
  }

  static final class Counters {
    static void build(StreamEnvironment env) {
      env.generate(index -> index).keyBy(index -> index % 10).count().sinkTo(new DiscardSink<>());
    }
  }

  @Test
  void alertsWhenASensorIsSilent() {
    try (StreamHarness<Reading, String> harness =
        StreamHarness.of(readings -> readings.keyBy(Reading::sensor).process(new SilenceAlert()))) {
      harness.push(new Reading("a", 21), 1_000);
      assertEquals(List.of(61_000L), harness.eventTimeTimers("a"));
      harness.watermark(61_000);
      assertEquals(List.of("a is silent"), harness.output());
    }
  }

  @Test
  void forgetsASilentSensor() {
    try (StreamHarness<Reading, String> harness =
        StreamHarness.of(readings -> readings.keyBy(Reading::sensor).process(new SilenceAlert()))) {
      harness.push(new Reading("a", 21), 1_000).push(new Reading("b", 19), 2_000);
      assertEquals(Optional.of(1_000L), harness.state(SilenceAlert.LAST, "a"));
      harness.watermark(61_500);
      assertEquals(Optional.empty(), harness.state(SilenceAlert.LAST, "a"));
      assertEquals(Set.of("b"), harness.keys());
    }
  }

  @Test
  void watermarksOfTheProgramAreEmittedEvery200Milliseconds() {
    try (StreamHarness<Reading, Long> harness =
        StreamHarness.of(
            readings ->
                readings
                    .assignTimestampsAndWatermarks(
                        WatermarkStrategy.forMonotonousTimestamps(Reading::value))
                    .windowAll(TumblingEventTimeWindows.of(Duration.ofMillis(10)))
                    .sum(Reading::value))) {
      harness.push(new Reading("a", 3)).push(new Reading("a", 4)).push(new Reading("a", 15));
      assertEquals(List.of(), harness.output());
      harness.advance(Duration.ofMillis(200));
      assertEquals(List.of(7L), harness.output());
    }
  }

  @Test
  void lateReadingsGoToASideOutput() {
    OutputTag<Reading> late = new OutputTag<>("late");
    try (StreamHarness<Reading, String> harness =
        StreamHarness.<Reading, String>of(
                readings ->
                    readings
                        .keyBy(Reading::sensor)
                        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
                        .sideOutputLateData(late)
                        .aggregate(new Highest(), (sensor, window, value) -> sensor + " " + value))
            .sideOutputs(late)) {
      harness.push(new Reading("a", 20), 100).push(new Reading("a", 30), 900);
      harness.watermark(999);
      assertEquals(List.of("a 30"), harness.output());
      harness.push(new Reading("a", 40), 950);
      assertEquals(List.of(new Reading("a", 40)), harness.sideOutput(late));
    }
  }

  @Test
  void rulesApplyToTheOrdersThatFollow() {
    try (TwoInputHarness<Order, Rule, String> harness =
        TwoInputHarness.of(
            (orders, rules) ->
                orders
                    .keyBy(Order::customer)
                    .connect(rules.broadcast(RULES))
                    .process(new Apply()))) {
      harness.parallelism(3);
      harness.pushSecond(new Rule("large", 100));
      harness.pushFirst(new Order("ada", 120));
      assertEquals(List.of("ada: large"), harness.output());
      assertEquals(Map.of("large", 100), harness.broadcastState(RULES));
    }
  }

  @Test
  void goesOnWithAnotherParallelism() {
    HarnessSnapshot snapshot;
    try (StreamHarness<Reading, String> harness =
        StreamHarness.of(readings -> readings.keyBy(Reading::sensor).process(new SilenceAlert()))) {
      snapshot = harness.push(new Reading("a", 21), 1_000).snapshot();
    }
    try (StreamHarness<Reading, String> harness =
        StreamHarness.of(readings -> readings.keyBy(Reading::sensor).process(new SilenceAlert()))) {
      harness.parallelism(3).restore(snapshot).watermark(61_000);
      assertEquals(List.of("a is silent"), harness.output());
    }
  }

  @Test
  void asksForEachReading() {
    try (StreamHarness<Reading, String> harness =
        StreamHarness.of(
            readings ->
                AsyncDataStream.orderedWait(
                    readings,
                    reading -> CompletableFuture.supplyAsync(() -> List.of(reading.sensor())),
                    Duration.ofSeconds(10),
                    100))) {
      harness.push(new Reading("a", 1)).push(new Reading("b", 2)).awaitOutput(2);
      assertEquals(List.of("a", "b"), harness.output());
    }
  }

  @RegisterExtension
  static final TestCluster CLUSTER =
      TestCluster.of(2, 2).configure("execution.checkpointing.interval", "50 ms");

  @Test
  void survivesTheLossOfATaskManager() {
    StreamEnvironment env = CLUSTER.environment();
    Counters.build(env);
    JobClient job = env.executeAsync("counters");
    CLUSTER.checkpoint(job);
    CLUSTER.killTaskManager(job);
    CLUSTER.startTaskManager();
    CLUSTER.awaitRunning(job);
    assertTrue(CLUSTER.restoredCheckpoint(job).isPresent());
  }

  @Test
  void countsWords() {
    StreamEnvironment env = StreamEnvironment.current().runtimeMode(RuntimeMode.BATCH);
    List<Counted<String>> counts =
        env.fromElements("to", "be", "to").keyBy(word -> word).count().collect().toList();
    assertEquals(Set.of(new Counted<>("to", 2), new Counted<>("be", 1)), Set.copyOf(counts));
  }

  @Test
  void pageHasTheCodeThatRunsHere() throws IOException {
    String here = words(Files.readString(source("src/test", "TestingPageTest.java")));
    Matcher block =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/testing.md")));
    List<String> examples = new ArrayList<>();
    while (block.find()) {
      examples.add(block.group(1));
    }
    assertThat(examples).hasSizeGreaterThanOrEqualTo(9);
    assertThat(examples).allSatisfy(example -> assertThat(here).contains(words(example)));
  }

  private static Path source(String root, String file) {
    return Path.of(root, "java/io/millrace/test", file);
  }

  /** Without spaces and line breaks, which the formatter decides. */
  private static String words(String code) {
    return code.replaceAll("\\s+", "");
  }
}
