package io.millrace.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.AsyncDataStream;
import io.millrace.api.DataStream;
import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.tuple.Tuple2;
import io.millrace.api.window.TimestampedValue;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Harnesses with functions of all kinds. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class HarnessTest {
  private static final OutputTag<String> LATE = new OutputTag<>("late");

  @Test
  void mapsRecordsInOrderWithTheirTimestamps() {
    try (StreamHarness<Integer, String> harness =
        StreamHarness.of(numbers -> numbers.filter(x -> x > 1).map(x -> "<" + x + ">"))) {
      harness.push(1, 10).push(2, 20).push(3, 30);
      assertThat(harness.timestampedOutput())
          .containsExactly(new TimestampedValue<>("<2>", 20), new TimestampedValue<>("<3>", 30));
      assertThat(harness.takeOutput()).containsExactly("<2>", "<3>");
      assertThat(harness.takeOutput()).isEmpty();
    }
  }

  /** Keeps something of each kind of state. */
  static final class States extends KeyedProcessFunction<String, Tuple2<String, Long>, String> {
    private static final long serialVersionUID = 1L;
    static final ValueStateDescriptor<Long> LAST = new ValueStateDescriptor<>("last");
    static final ListStateDescriptor<Long> ALL = new ListStateDescriptor<>("all");
    static final MapStateDescriptor<Long, Integer> COUNTS = new MapStateDescriptor<>("counts");
    static final ReducingStateDescriptor<Long> SUM =
        new ReducingStateDescriptor<>("sum", Long::sum);
    static final AggregatingStateDescriptor<Long, Long, String> TEXT =
        new AggregatingStateDescriptor<>("text", new Text());

    private transient ValueState<Long> last;
    private transient ListState<Long> all;
    private transient MapState<Long, Integer> counts;
    private transient ReducingState<Long> sum;
    private transient AggregatingState<Long, String> text;

    @Override
    public void open(RuntimeContext context) {
      last = context.state(LAST);
      all = context.listState(ALL);
      counts = context.mapState(COUNTS);
      sum = context.reducingState(SUM);
      text = context.aggregatingState(TEXT);
    }

    @Override
    public void process(
        Tuple2<String, Long> record,
        KeyedProcessFunction.Context<String> context,
        Collector<String> out)
        throws Exception {
      long value = record.f1();
      last.update(value);
      all.add(value);
      Integer before = counts.get(value);
      counts.put(value, before == null ? 1 : before + 1);
      sum.add(value);
      text.add(value);
      context.timerService().registerEventTimeTimer(value);
      context
          .timerService()
          .registerProcessingTimeTimer(context.timerService().currentProcessingTime() + 1_000);
      out.emit(context.currentKey() + sum.value());
    }

    @Override
    public void onTimer(
        long time, KeyedProcessFunction.OnTimerContext<String> context, Collector<String> out) {
      out.emit(context.timeDomain() + " " + context.currentKey() + " " + time);
    }
  }

  private static final class Text implements AggregateFunction<Long, Long, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long create() {
      return 0L;
    }

    @Override
    public Long add(Long accumulator, Long record) {
      return accumulator + record;
    }

    @Override
    public String result(Long accumulator) {
      return "sum " + accumulator;
    }
  }

  private static StreamHarness<Tuple2<String, Long>, String> states() {
    return StreamHarness.of(records -> records.keyBy(Tuple2::f0).process(new States()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"hashmap", "rocksdb"})
  void readsStateAndTimersOfEachKindOfAKey(String backend) {
    try (StreamHarness<Tuple2<String, Long>, String> harness =
        states().startingAt(500).environment(env -> env.configure("state.backend.type", backend))) {
      harness.push(new Tuple2<>("a", 7L)).push(new Tuple2<>("a", 5L)).push(new Tuple2<>("b", 5L));
      assertThat(harness.output()).containsExactly("a7", "a12", "b5");
      assertThat(harness.state(States.LAST, "a")).contains(5L);
      assertThat(harness.state(States.ALL, "a")).containsExactly(7L, 5L);
      assertThat(harness.state(States.COUNTS, "a")).isEqualTo(Map.of(7L, 1, 5L, 1));
      assertThat(harness.state(States.SUM, "a")).contains(12L);
      assertThat(harness.state(States.TEXT, "a")).contains("sum 12");
      assertThat(harness.state(States.LAST, "c")).isEmpty();
      assertThat(harness.state(States.ALL, "c")).isEmpty();
      assertThat(harness.keys()).containsExactlyInAnyOrder("a", "b");
      assertThat(harness.eventTimeTimers("a")).containsExactly(5L, 7L);
      assertThat(harness.processingTimeTimers("a")).containsExactly(1_500L);
      harness.takeOutput();
      assertThat(harness.watermark(6).takeOutput())
          .containsExactlyInAnyOrder("EVENT_TIME a 5", "EVENT_TIME b 5");
      assertThat(harness.advance(Duration.ofMillis(999)).takeOutput()).isEmpty();
      assertThat(harness.advance(Duration.ofMillis(1)).takeOutput())
          .containsExactlyInAnyOrder("PROCESSING_TIME a 1500", "PROCESSING_TIME b 1500");
      assertThat(harness.processingTime()).isEqualTo(1_500);
      assertThat(harness.end().takeOutput()).containsExactly("EVENT_TIME a 7");
    }
  }

  @Test
  void refusesToReadAStateAsOneOfAnotherKind() {
    try (StreamHarness<Tuple2<String, Long>, String> harness = states()) {
      harness.push(new Tuple2<>("a", 7L));
      assertThatThrownBy(() -> harness.state(new ListStateDescriptor<>("last"), "a"))
          .hasMessage("State 'last' of operator 'process' is a value state, not a list state.");
      assertThatThrownBy(() -> harness.operatorState(new ListStateDescriptor<>("offsets")))
          .hasMessageContaining("No operator has an operator state 'offsets'");
    }
  }

  @Test
  @Behaviour("H3: keyed state is restored with any parallelism and state backend")
  void continuesFromSnapshotsWithAnyParallelismLikeARunWithoutInterruption() {
    for (long seed = 1; seed <= 4; seed++) {
      Random random = new Random(seed);
      Map<String, Long> model = new TreeMap<>();
      Map<String, Long> counted = new TreeMap<>();
      StreamHarness<Tuple2<String, Long>, String> harness = states();
      try {
        for (int i = 0; i < 60; i++) {
          if (random.nextInt(12) == 0) {
            HarnessSnapshot taken = harness.snapshot();
            harness.close();
            harness =
                states()
                    .parallelism(1 + random.nextInt(4))
                    .environment(
                        env ->
                            env.configure(
                                "state.backend.type", random.nextBoolean() ? "rocksdb" : "hashmap"))
                    .restore(taken);
          }
          String key = "k" + random.nextInt(5);
          long value = random.nextInt(100);
          model.merge(key, value, Long::sum);
          harness.push(new Tuple2<>(key, value));
        }
        for (String key : model.keySet()) {
          counted.put(key, harness.state(States.SUM, key).orElseThrow());
        }
        assertThat(counted).as("seed %s", seed).isEqualTo(model);
      } finally {
        harness.close();
      }
    }
  }

  @Test
  void snapshotIsNotChangedByWhatFollows() {
    HarnessSnapshot taken;
    try (StreamHarness<Tuple2<String, Long>, String> harness = states()) {
      taken = harness.push(new Tuple2<>("a", 1L)).snapshot();
      harness.push(new Tuple2<>("a", 10L));
    }
    for (int parallelism = 1; parallelism <= 3; parallelism++) {
      try (StreamHarness<Tuple2<String, Long>, String> harness =
          states().parallelism(parallelism).restore(taken)) {
        assertThat(harness.push(new Tuple2<>("a", 2L)).output()).containsExactly("a3");
      }
    }
  }

  @Test
  void refusesSnapshotOfAnotherProgram() {
    HarnessSnapshot taken;
    try (StreamHarness<Tuple2<String, Long>, String> harness = states()) {
      taken = harness.push(new Tuple2<>("a", 1L)).snapshot();
    }
    try (StreamHarness<Integer, Integer> other = StreamHarness.of(numbers -> numbers.map(x -> x))) {
      other.restore(taken);
      assertThatThrownBy(other::output)
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("cannot start with the snapshot of")
          .hasMessageContaining("process");
    }
  }

  @Test
  void firesWindowsAtWatermarksAndReadsLateRecordsFromASideOutput() {
    try (StreamHarness<String, String> harness =
        StreamHarness.<String, String>of(
                words ->
                    words
                        .keyBy(word -> word)
                        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
                        .sideOutputLateData(LATE)
                        .process((word, window, all) -> word + size(all) + "@" + window.end()))
            .sideOutputs(LATE)
            .parallelism(3)) {
      harness.push("a", 100).push("a", 900).push("b", 1_000);
      assertThat(harness.output()).isEmpty();
      assertThat(harness.watermark(999).takeOutput()).containsExactly("a2@1000");
      harness.push("a", 500);
      assertThat(harness.sideOutput(LATE)).containsExactly("a");
      assertThat(harness.end().takeOutput()).containsExactly("b1@2000");
      assertThatThrownBy(() -> harness.sideOutput(new OutputTag<>("other")))
          .hasMessageContaining("does not read side output 'other'");
    }
  }

  private static int size(Iterable<?> all) {
    int size = 0;
    for (Object ignored : all) {
      size++;
    }
    return size;
  }

  @Test
  void watermarksOfTheProgramFollowTheClockOfTheHarness() {
    try (StreamHarness<Long, String> harness =
        StreamHarness.of(
            times ->
                times
                    .assignTimestampsAndWatermarks(
                        WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(10), x -> x))
                    .keyBy(x -> "all")
                    .window(TumblingEventTimeWindows.of(Duration.ofMillis(100)))
                    .process((key, window, all) -> key + size(all)))) {
      harness.push(50L).push(110L).push(120L);
      // Real time passes, that of the harness does not.
      assertThat(harness.output()).isEmpty();
      assertThat(harness.advance(Duration.ofMillis(199)).output()).isEmpty();
      assertThat(harness.advance(Duration.ofMillis(1)).output()).containsExactly("all1");
    }
  }

  /** Matches records of two streams, with a timer for those without a match. */
  static final class Match extends KeyedCoProcessFunction<String, String, Integer, String> {
    private static final long serialVersionUID = 1L;
    static final ValueStateDescriptor<Integer> NUMBER = new ValueStateDescriptor<>("number");
    private transient ValueState<Integer> number;

    @Override
    public void open(RuntimeContext context) {
      number = context.state(NUMBER);
    }

    @Override
    public void process1(
        String record, KeyedCoProcessFunction.Context<String> context, Collector<String> out) {
      out.emit(record + "=" + number.value());
    }

    @Override
    public void process2(
        Integer record, KeyedCoProcessFunction.Context<String> context, Collector<String> out) {
      number.update(record);
      context.timerService().registerEventTimeTimer(context.timestamp() + 10);
    }

    @Override
    public void onTimer(
        long time, KeyedCoProcessFunction.OnTimerContext<String> context, Collector<String> out) {
      number.clear();
      out.emit("expired at " + time);
    }
  }

  @Test
  void twoInputsShareStateAndTimeIsTheLowerOne() {
    try (TwoInputHarness<String, Integer, String> harness =
        TwoInputHarness.of(
            (words, numbers) ->
                words
                    .connect(numbers)
                    .keyBy(word -> word, number -> "n" + number)
                    .process(new Match()))) {
      harness.pushSecond(1, 100).pushFirst("n1", 100).pushFirst("n2", 100);
      assertThat(harness.takeOutput()).containsExactly("n1=1", "n2=null");
      assertThat(harness.state(Match.NUMBER, "n1")).contains(1);
      assertThat(harness.watermarkFirst(200).takeOutput()).isEmpty();
      assertThat(harness.watermarkSecond(109).takeOutput()).isEmpty();
      assertThat(harness.idleSecond().takeOutput()).containsExactly("expired at 110");
      assertThat(harness.keys()).isEmpty();
    }
  }

  /** Counts the records of a subtask in operator state, and hears of checkpoints. */
  static final class Counting implements MapFunction<Integer, Integer>, CheckpointedFunction {
    private static final long serialVersionUID = 1L;
    static final ListStateDescriptor<Integer> COUNT = new ListStateDescriptor<>("count");
    static final Map<String, AtomicInteger> COMPLETED = new ConcurrentHashMap<>();
    private final String test;
    private transient ListState<Integer> stored;
    private int count;

    Counting(String test) {
      this.test = test;
    }

    @Override
    public void open(RuntimeContext context) throws Exception {
      stored = context.operatorListState(COUNT);
      stored.values().forEach(value -> count += value);
    }

    @Override
    public Integer map(Integer record) {
      return ++count;
    }

    @Override
    public void snapshotState(long checkpoint) throws Exception {
      stored.update(List.of(count));
    }

    @Override
    public void checkpointCompleted(long checkpoint) {
      COMPLETED.get(test).incrementAndGet();
    }
  }

  @Test
  void operatorStateOfAllSubtasksAndCompletedSnapshots() {
    Counting.COMPLETED.put("operator state", new AtomicInteger());
    StreamHarness<Integer, Integer> harness =
        StreamHarness.of(numbers -> numbers.rebalance().map(new Counting("operator state")));
    HarnessSnapshot taken;
    try (harness) {
      harness.parallelism(2).push(1).push(2).push(3);
      assertThat(harness.operatorState(Counting.COUNT).stream().mapToInt(x -> x).sum())
          .isEqualTo(3);
      assertThat(Counting.COMPLETED.get("operator state")).hasValue(0);
      taken = harness.snapshot();
      assertThat(Counting.COMPLETED.get("operator state")).hasValue(2);
    }
    try (StreamHarness<Integer, Integer> one =
        StreamHarness.of(numbers -> numbers.rebalance().map(new Counting("operator state")))) {
      assertThat(one.restore(taken).push(9).output()).containsExactly(4);
    }
  }

  @Test
  void requestsTimeOutAndAreRetriedByTheClockOfTheHarness() {
    try (StreamHarness<String, String> harness =
        StreamHarness.of(
            words ->
                AsyncDataStream.orderedWait(
                    words,
                    new Answers("clock"),
                    Duration.ofSeconds(60),
                    10,
                    AsyncRetryStrategy.fixedDelay(2, Duration.ofSeconds(10))))) {
      harness.push("fails once").push("hangs");
      assertThat(harness.output()).isEmpty();
      harness.advance(Duration.ofSeconds(10));
      assertThat(harness.takeOutput()).containsExactly("fails once!");
      harness.advance(Duration.ofSeconds(49));
      assertThat(harness.takeOutput()).isEmpty();
      harness.advance(Duration.ofSeconds(1));
      assertThat(harness.takeOutput()).containsExactly("late");
    }
  }

  /** Answers by the text of the request. */
  static final class Answers implements io.millrace.api.async.AsyncFunction<String, String> {
    private static final long serialVersionUID = 1L;
    private final String test;
    private int attempts;

    Answers(String test) {
      this.test = test;
    }

    @Override
    public CompletableFuture<List<String>> asyncInvoke(String word) {
      if (word.equals("hangs")) {
        return new CompletableFuture<>();
      }
      if (attempts++ == 0) {
        return CompletableFuture.failedFuture(new IllegalStateException(test));
      }
      return CompletableFuture.supplyAsync(() -> List.of(word + "!"), Runnable::run);
    }

    @Override
    public List<String> timeout(String word) {
      return List.of("late");
    }
  }

  @Test
  void awaitsResultsOfOtherThreads() {
    try (StreamHarness<Integer, Integer> harness =
        StreamHarness.of(
            numbers ->
                AsyncDataStream.unorderedWait(
                    numbers,
                    x -> CompletableFuture.supplyAsync(() -> List.of(x * x)),
                    Duration.ofMinutes(1),
                    10))) {
      harness.push(2).push(3).awaitOutput(2);
      assertThat(harness.output()).containsExactlyInAnyOrder(4, 9);
    }
  }

  @Test
  void functionThatThrowsMakesThePushThrow() {
    try (StreamHarness<String, Integer> harness =
        StreamHarness.of(words -> words.map(Integer::parseInt).name("parse"))) {
      harness.push("12");
      assertThatThrownBy(() -> harness.push("twelve"))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("parse")
          .hasMessageContaining("twelve");
      assertThatThrownBy(() -> harness.push("13")).isInstanceOf(MillraceException.class);
    }
  }

  @Test
  void recordThatCannotBeSerialisedBetweenTasksFailsTheTest() {
    try (StreamHarness<Integer, Thread> harness =
        StreamHarness.of(
            numbers ->
                numbers.map(x -> new Thread("t" + x)).keyBy(Thread::getName).maxBy(t -> 1))) {
      assertThatThrownBy(() -> harness.push(1)).hasMessageContaining("java.lang.Thread");
    }
  }

  @Test
  void refusesSettingsAfterTheStartAndUseAfterTheEnd() {
    StreamHarness<Integer, Integer> harness = StreamHarness.of(numbers -> numbers.map(x -> x));
    try (harness) {
      harness.push(1);
      assertThatThrownBy(() -> harness.parallelism(2)).hasMessageContaining("has started");
      harness.end();
      assertThatThrownBy(() -> harness.push(2)).hasMessageContaining("has ended");
    }
    assertThatThrownBy(harness::output).hasMessageContaining("closed");
  }

  @Test
  void leavesNoThreadsBehind() {
    // The embedded cluster of other tests may run in this process.
    Set<Thread> before = threads();
    try (StreamHarness<Integer, Integer> harness = StreamHarness.of(DataStream::rebalance)) {
      harness.push(1);
      assertThat(threads()).hasSizeGreaterThan(before.size());
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!before.containsAll(threads()) && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(before).containsAll(threads());
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("millrace-"))
        .collect(Collectors.toSet());
  }
}
