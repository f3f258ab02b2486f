package io.millrace.dataplane;

import static io.millrace.dataplane.WindowsTest.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.custom.OneInputOperator;
import io.millrace.api.custom.OperatorOutput;
import io.millrace.api.custom.TwoInputOperator;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.window.TimestampedValue;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Operators that a program writes itself. */
class CustomOperatorsTest {
  private static final OutputTag<String> SIDE = new OutputTag<>("side of a custom operator");
  private static TestHosts hosts;

  @BeforeAll
  static void start() {
    hosts = new TestHosts(2);
  }

  @AfterAll
  static void close() {
    hosts.close();
  }

  /**
   * Sorts records by time: keeps them until a watermark has passed them, emits each with its
   * timestamp and then the watermark. Keeps records in operator state.
   */
  static final class Sorting extends OneInputOperator<Event, Event> {
    private static final long serialVersionUID = 1L;
    private transient ListState<TimestampedValue<Event>> kept;
    private transient List<TimestampedValue<Event>> waiting;

    @Override
    public void open(RuntimeContext context) {
      kept = context.operatorListState(new ListStateDescriptor<>("kept"));
      waiting = new ArrayList<>(kept.values());
    }

    @Override
    public void process(Event event, Context context, OperatorOutput<Event> out) {
      waiting.add(new TimestampedValue<>(event, context.timestamp()));
    }

    @Override
    public void watermark(long watermark, OperatorOutput<Event> out) {
      emit(watermark, out);
      out.emitWatermark(watermark);
    }

    private void emit(long until, OperatorOutput<Event> out) {
      waiting.sort(
          Comparator.<TimestampedValue<Event>>comparingLong(TimestampedValue::timestamp)
              .thenComparing(value -> value.value().id()));
      while (!waiting.isEmpty() && waiting.get(0).timestamp() <= until) {
        TimestampedValue<Event> first = waiting.remove(0);
        out.emit(first.value(), first.timestamp());
      }
    }

    @Override
    public void endInput(OperatorOutput<Event> out) {
      emit(Long.MAX_VALUE, out);
    }

    @Override
    public void snapshotState(long checkpoint) {
      kept.update(waiting);
    }
  }

  @Test
  @Behaviour("H1: a custom operator has operator state and decides about watermarks")
  void anOperatorThatKeepsRecordsHoldsWatermarksBack() {
    for (int i = 0; i < 8; i++) {
      Random random = new Random(7100 + i);
      List<Event> events = RandomEvents.bounded(random, random.nextInt(1200), 60);
      TestRun run =
          hosts.run(
              i,
              random,
              env ->
                  env.fromCollection(events)
                      .parallelism(1)
                      .assignTimestampsAndWatermarks(RandomEvents.closelyWithin(60))
                      .parallelism(1)
                      .transform("sort", new Sorting())
                      .parallelism(1)
                      .process(
                          String.class,
                          (event, context, out) ->
                              out.emit(
                                  event.id()
                                      + (context.timestamp() == event.time()
                                              && context.timestamp() > context.currentWatermark()
                                          ? " in time"
                                          : " late")))
                      .parallelism(1)
                      .collectAs("sorted")
                      .parallelism(1));
      List<String> expected =
          events.stream()
              .sorted(Comparator.comparingLong(Event::time).thenComparing(Event::id))
              .map(event -> event.id() + " in time")
              .toList();
      assertThat(run.collected("sorted")).as("seed %s", 7100 + i).isEqualTo(expected);
    }
  }

  /** Counts the records of a key on both inputs; emits the counts at its last timer. */
  static final class Counting extends TwoInputOperator<Event, Event, String> {
    private static final long serialVersionUID = 1L;
    private static final long END = Long.MAX_VALUE - 1;
    private transient ValueState<Integer> first;
    private transient ValueState<Integer> second;

    @Override
    public void open(RuntimeContext context) {
      first = context.state(new ValueStateDescriptor<>("first"));
      second = context.state(new ValueStateDescriptor<>("second"));
    }

    private static int of(ValueState<Integer> count) {
      return count.value() == null ? 0 : count.value();
    }

    @Override
    public void process1(Event event, Context context, OperatorOutput<String> out) {
      first.update(of(first) + 1);
      context.timerService().registerEventTimeTimer(END);
      out.output(SIDE, "first " + event.id());
    }

    @Override
    public void process2(Event event, Context context, OperatorOutput<String> out) {
      second.update(of(second) + 1);
      context.timerService().registerEventTimeTimer(END);
      out.output(SIDE, "second " + event.id());
    }

    @Override
    public void onTimer(long time, Context context, OperatorOutput<String> out) {
      boolean isExpected = time == END && context.timeDomain() == TimeDomain.EVENT_TIME;
      out.emit(line(context.currentKey(), of(first), of(second)) + (isExpected ? "" : " early"));
    }

    static String line(Object key, int first, int second) {
      return key + " has " + first + " and " + second;
    }

    @Override
    public void endInput(OperatorOutput<String> out) {
      out.output(SIDE, "end");
    }
  }

  @Test
  @Behaviour("H1: a custom operator with two inputs has keyed state and timers")
  void twoInputsShareStateAndTimersOfTheirKeys() {
    for (int i = 0; i < 8; i++) {
      RandomStreams streams = RandomStreams.of(7300 + i, 300);
      int parallelism = 1 + streams.random().nextInt(3);
      TestRun run =
          hosts.run(
              i,
              streams.random(),
              env -> {
                DataStream<String> counts =
                    streams
                        .first(env)
                        .keyBy(Event::key)
                        .connect(streams.second(env).keyBy(Event::key))
                        .transform("count", new Counting())
                        .parallelism(parallelism);
                counts.collectAs("counts");
                counts.sideOutput(SIDE).collectAs("side");
              });
      Map<Object, int[]> byKey = new LinkedHashMap<>();
      List<String> side = new ArrayList<>();
      for (Event event : streams.first()) {
        byKey.computeIfAbsent(event.key(), any -> new int[2])[0]++;
        side.add("first " + event.id());
      }
      for (Event event : streams.second()) {
        byKey.computeIfAbsent(event.key(), any -> new int[2])[1]++;
        side.add("second " + event.id());
      }
      for (int subtask = 0; subtask < parallelism; subtask++) {
        side.add("end");
      }
      List<String> counts = new ArrayList<>();
      byKey.forEach((key, both) -> counts.add(Counting.line(key, both[0], both[1])));
      assertThat(sorted(run.collected("counts"))).as("seed %s", i).isEqualTo(sorted(counts));
      assertThat(sorted(run.collected("side"))).as("seed %s", i).isEqualTo(sorted(side));
    }
  }

  /** Registers a timer. */
  static final class Timed extends OneInputOperator<Integer, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(Integer number, Context context, OperatorOutput<Integer> out) {
      context.timerService().registerEventTimeTimer(number);
    }
  }

  @Test
  void timersNeedAKey() {
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.start(
              ProgramGraphs.graph(
                  env -> env.fromElements(1).transform("timed", new Timed()).collectAs("out")),
              host);
      run.await("a failure", () -> !run.failures().isEmpty());
      assertThat(run.failures().get(0).message())
          .contains("Operator 'timed' has no timer, because its stream is not keyed");
      run.cancel();
      run.awaitEnd();
    }
  }

  static Map<String, CheckpointTest.Program> programs() {
    Map<String, CheckpointTest.Program> programs = new LinkedHashMap<>();
    programs.put(
        "custom operator: sorts, behind a rebalance",
        (env, events) ->
            events
                .rebalance()
                .transform("sort", new Sorting())
                .keyBy(Event::key)
                .window(TumblingEventTimeWindows.of(Duration.ofMillis(100)))
                .process(new CheckpointTest.Ids()));
    programs.put(
        "custom operator: counts of two keyed inputs",
        (env, events) -> {
          DataStream<String> counts =
              events
                  .keyBy(Event::key)
                  .connect(events.filter(event -> event.id() % 3 == 0).keyBy(Event::key))
                  .transform("count", new Counting());
          return counts.union(
              counts.sideOutput(SIDE).filter(text -> !text.equals("end")).rebalance());
        });
    return programs;
  }
}
