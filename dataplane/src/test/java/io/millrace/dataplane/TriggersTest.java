package io.millrace.dataplane;

import static io.millrace.dataplane.WindowsTest.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.WindowedStream;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.window.ContinuousEventTimeTrigger;
import io.millrace.api.window.CountEvictor;
import io.millrace.api.window.CountTrigger;
import io.millrace.api.window.CustomWindows;
import io.millrace.api.window.DeltaEvictor;
import io.millrace.api.window.DeltaTrigger;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.GlobalWindows;
import io.millrace.api.window.PurgingTrigger;
import io.millrace.api.window.TimeEvictor;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Windows that fire by count, repeatedly or by distance, and evictors, against naive models. */
class TriggersTest {
  private static final int SEEDS = TestBackends.seeds(20);
  private static TestHosts hosts;

  @BeforeAll
  static void start() {
    hosts = new TestHosts(2);
  }

  @AfterAll
  static void close() {
    hosts.close();
  }

  private static final ProcessWindowFunction<Event, String, Object> IDS =
      (key, context, events, out) -> {
        List<Integer> ids = new ArrayList<>();
        events.forEach(event -> ids.add(event.id()));
        out.emit(key + " " + ids);
      };

  /** Records of one source, so that those of a key keep their order. */
  private static List<String> fired(
      long seed,
      Random random,
      List<Event> events,
      Function<DataStream<Event>, WindowedStream<Event, Object>> windows) {
    return sorted(
        hosts
            .run(
                seed,
                random,
                env ->
                    windows
                        .apply(
                            env.fromCollection(events)
                                .parallelism(1)
                                .assignTimestampsAndWatermarks(RandomEvents.asSaid())
                                .parallelism(1))
                        .process(IDS)
                        .collectAs("fired"))
            .collected("fired"));
  }

  private static Map<Object, List<Event>> byKey(List<Event> events) {
    Map<Object, List<Event>> byKey = new LinkedHashMap<>();
    events.forEach(
        event -> byKey.computeIfAbsent(event.key(), any -> new ArrayList<>()).add(event));
    return byKey;
  }

  private static String line(Object key, List<Event> events) {
    return key + " " + events.stream().map(Event::id).toList();
  }

  @Test
  @Behaviour("H1: count windows give the results of a naive model")
  void countWindowsFireAfterSoManyRecords() {
    for (int i = 0; i < SEEDS; i++) {
      Random random = new Random(100 + i);
      List<Event> events = RandomEvents.withLateOnes(random, random.nextInt(800), 100);
      int size = 1 + random.nextInt(100);
      int slide = 1 + random.nextInt(40);

      List<String> tumbling = new ArrayList<>();
      List<String> sliding = new ArrayList<>();
      byKey(events)
          .forEach(
              (key, own) -> {
                for (int end = size; end <= own.size(); end += size) {
                  tumbling.add(line(key, own.subList(end - size, end)));
                }
                for (int end = slide; end <= own.size(); end += slide) {
                  sliding.add(line(key, own.subList(Math.max(0, end - size), end)));
                }
              });
      assertThat(fired(i, random, events, all -> all.keyBy(Event::key).countWindow(size)))
          .as("seed %s", i)
          .isEqualTo(sorted(tumbling));
      assertThat(fired(i, random, events, all -> all.keyBy(Event::key).countWindow(size, slide)))
          .as("seed %s", i)
          .isEqualTo(sorted(sliding));
    }
  }

  @Test
  @Behaviour("H1: sessions with a dynamic gap give the results of a naive model")
  void sessionsEndAfterTheGapOfTheirRecords() {
    for (int i = 0; i < SEEDS; i++) {
      Random random = new Random(700 + i);
      // Without watermarks nothing is late.
      List<Event> events = RandomEvents.bounded(random, random.nextInt(600), 300);
      List<String> expected = new ArrayList<>();
      byKey(events)
          .forEach(
              (key, own) -> {
                List<Event> inTime = new ArrayList<>(own);
                inTime.sort(Comparator.comparingLong(Event::time));
                List<Integer> open = new ArrayList<>();
                long end = Long.MIN_VALUE;
                for (Event event : inTime) {
                  if (!open.isEmpty() && event.time() > end) {
                    expected.add(key + " " + open.stream().sorted().toList());
                    open.clear();
                    end = Long.MIN_VALUE;
                  }
                  open.add(event.id());
                  end = Math.max(end, event.time() + gap(event));
                }
                expected.add(key + " " + open.stream().sorted().toList());
              });
      TestRun run =
          hosts.run(
              i,
              random,
              env ->
                  env.fromCollection(events)
                      .assignTimestampsAndWatermarks(RandomEvents.asSaid())
                      .keyBy(Event::key)
                      .window(EventTimeSessionWindows.withDynamicGap(TriggersTest::gap))
                      .process(
                          (key, window, all) -> {
                            List<Integer> ids = new ArrayList<>();
                            all.forEach(event -> ids.add(event.id()));
                            ids.sort(null);
                            return key + " " + ids;
                          })
                      .collectAs("fired"));
      assertThat(sorted(run.collected("fired"))).as("seed %s", i).isEqualTo(sorted(expected));
    }
  }

  private static long gap(Event event) {
    return 1 + event.id() % 5 * 40L;
  }

  private static Event at(int id, long time, long watermark) {
    return new Event(id, "a", time, watermark);
  }

  private static final long NONE = RandomEvents.NO_WATERMARK;

  @Test
  void continuousTriggerFiresAfterEachIntervalAndAtTheEndOfTheWindow() {
    List<Event> events = List.of(at(1, 5, 11), at(2, 12, 19), at(3, 25, 35), at(4, 105, NONE));

    assertThat(
            fired(
                1,
                new Random(1),
                events,
                all ->
                    all.keyBy(Event::key)
                        .window(TumblingEventTimeWindows.of(Duration.ofMillis(100)))
                        .trigger(ContinuousEventTimeTrigger.of(Duration.ofMillis(10)))))
        // The first window at 10; at 20 and 30, which one watermark has passed; at the end of the
        // input at 40 and at its end. The second one at 110 and at its end.
        .containsExactly(
            "a [1, 2, 3]", "a [1, 2, 3]", "a [1, 2, 3]", "a [1, 2, 3]", "a [1]", "a [4]", "a [4]");
  }

  @Test
  void purgingTriggerRemovesWhatHasFired() {
    List<Event> events = List.of(at(1, 1, NONE), at(2, 2, NONE), at(3, 3, NONE), at(4, 4, NONE));

    assertThat(
            fired(
                1,
                new Random(1),
                events,
                all ->
                    all.keyBy(Event::key)
                        .window(GlobalWindows.create())
                        .trigger(PurgingTrigger.of(CountTrigger.of(2)))))
        .containsExactly("a [1, 2]", "a [3, 4]");
    assertThat(
            fired(
                1,
                new Random(1),
                events,
                all ->
                    all.keyBy(Event::key)
                        .window(GlobalWindows.create())
                        .trigger(CountTrigger.of(2))))
        .containsExactly("a [1, 2, 3, 4]", "a [1, 2]");
  }

  @Test
  void evictorsKeepTheLastTheNewestOrTheClosestRecords() {
    List<Event> events =
        List.of(at(1, 100, NONE), at(2, 150, NONE), at(9, 120, NONE), at(10, 190, NONE));

    assertThat(evicted(events, windows -> windows.evictor(CountEvictor.of(2))))
        .containsExactly("a [9, 10]");
    assertThat(evicted(events, windows -> windows.evictor(TimeEvictor.of(Duration.ofMillis(40)))))
        .containsExactly("a [2, 10]");
    assertThat(
            evicted(
                events,
                windows ->
                    windows.evictor(DeltaEvictor.of(5, (older, newer) -> newer.id() - older.id()))))
        .containsExactly("a [9, 10]");
    assertThat(evicted(events, windows -> windows.evictor(CountEvictor.of(2, true))))
        .containsExactly("a [1, 2, 9, 10]");
  }

  private static List<String> evicted(
      List<Event> events,
      Function<WindowedStream<Event, Object>, WindowedStream<Event, Object>> evictor) {
    return fired(
        1,
        new Random(1),
        events,
        all ->
            evictor.apply(
                all.keyBy(Event::key).window(GlobalWindows.create()).trigger(CountTrigger.of(4))));
  }

  @Test
  void deltaTriggerFiresWhenARecordIsFarFromTheLastOneThatFired() {
    List<Event> events = List.of(at(1, 1, NONE), at(3, 2, NONE), at(7, 3, NONE), at(9, 4, NONE));

    assertThat(
            fired(
                1,
                new Random(1),
                events,
                all ->
                    all.keyBy(Event::key)
                        .window(GlobalWindows.create())
                        .trigger(DeltaTrigger.of(4, (older, newer) -> newer.id() - older.id()))))
        .containsExactly("a [1, 3, 7]");
  }

  @Test
  void windowsOfAllRecordsAreInOneSubtask() {
    List<Event> events = RandomEvents.bounded(new Random(5), 500, 50);
    TestRun run =
        hosts.run(
            1,
            new Random(1),
            env -> {
              DataStream<Event> timed =
                  env.fromCollection(events).assignTimestampsAndWatermarks(RandomEvents.within(50));
              timed
                  .windowAll(TumblingEventTimeWindows.of(Duration.ofMillis(100)))
                  .count()
                  .collectAs("counts");
              timed.countWindowAll(500).sum(Event::id).collectAs("sum");
              timed.countWindowAll(500).max(Event::time).collectAs("max");
              timed.countWindowAll(500).minBy(Event::id).map(Event::id).collectAs("first");
            });

    Map<Long, Long> counts = new LinkedHashMap<>();
    events.forEach(event -> counts.merge(Math.floorDiv(event.time(), 100L), 1L, Long::sum));
    assertThat(sorted(run.collected("counts"))).isEqualTo(sorted(List.copyOf(counts.values())));
    assertThat(run.collected("sum")).isEqualTo(List.of(499L * 500 / 2));
    assertThat(run.collected("max"))
        .isEqualTo(List.of(events.stream().mapToLong(Event::time).max().orElseThrow()));
    assertThat(run.collected("first")).isEqualTo(List.of(0));
  }

  @Test
  void lowestAndHighestValuesOfKeysAndWindows() {
    List<Event> events = List.of(at(4, 1, NONE), at(2, 2, NONE), at(9, 3, NONE), at(2, 4, NONE));
    TestRun run =
        hosts.run(
            1,
            new Random(1),
            env -> {
              DataStream<Event> timed =
                  env.fromCollection(events)
                      .parallelism(1)
                      .assignTimestampsAndWatermarks(RandomEvents.asSaid())
                      .parallelism(1);
              timed.keyBy(Event::key).min(Event::id).map(min -> min.value()).collectAs("min");
              timed.keyBy(Event::key).max(Event::id).map(max -> max.value()).collectAs("max");
              timed.keyBy(Event::key).minBy(Event::id).map(Event::time).collectAs("minBy");
              timed.keyBy(Event::key).maxBy(Event::id).map(Event::time).collectAs("maxBy");
              WindowedStream<Event, Object> windows =
                  timed
                      .keyBy(Event::key)
                      .window(EventTimeSessionWindows.withGap(Duration.ofMillis(50)));
              windows.min(Event::id).map(min -> min.value()).collectAs("window min");
              windows.max(Event::id).map(max -> max.value()).collectAs("window max");
              windows.sum(Event::id).map(sum -> sum.sum()).collectAs("window sum");
              windows.count().map(count -> count.count()).collectAs("window count");
              windows.maxBy(Event::id).map(Event::time).collectAs("window maxBy");
            });

    assertThat(run.collected("min")).isEqualTo(List.of(4, 2, 2, 2));
    assertThat(run.collected("max")).isEqualTo(List.of(4, 4, 9, 9));
    assertThat(run.collected("minBy")).isEqualTo(List.of(1L, 2L, 2L, 2L));
    assertThat(run.collected("maxBy")).isEqualTo(List.of(1L, 1L, 3L, 3L));
    assertThat(run.collected("window min")).isEqualTo(List.of(2));
    assertThat(run.collected("window max")).isEqualTo(List.of(9));
    assertThat(run.collected("window sum")).isEqualTo(List.of(17L));
    assertThat(run.collected("window count")).isEqualTo(List.of(4L));
    assertThat(run.collected("window maxBy")).isEqualTo(List.of(3L));
  }

  @Test
  @Behaviour("H1: windows of the program's own kind give the results of a naive model")
  void customWindowsHaveTheRecordsThatTheSelectorGivesThem() {
    for (int i = 0; i < SEEDS; i++) {
      Random random = new Random(2600 + i);
      List<Event> events = RandomEvents.bounded(random, random.nextInt(600), 200);
      Map<String, List<Integer>> windows = new LinkedHashMap<>();
      for (Event event : events) {
        for (TimeWindow window : TriggeredPrograms.windows(event, event.time())) {
          windows
              .computeIfAbsent(event.key() + " " + window, any -> new ArrayList<>())
              .add(event.id());
        }
      }
      List<String> expected = new ArrayList<>();
      windows.forEach((window, ids) -> expected.add(window + " " + ids.stream().sorted().toList()));
      TestRun run =
          hosts.run(
              i,
              random,
              env ->
                  env.fromCollection(events)
                      .assignTimestampsAndWatermarks(RandomEvents.within(200))
                      .keyBy(Event::key)
                      .window(CustomWindows.ofEventTime(TriggeredPrograms::windows))
                      .process(new CheckpointTest.Ids())
                      .collectAs("fired"));
      assertThat(sorted(run.collected("fired"))).as("seed %s", i).isEqualTo(sorted(expected));
    }
  }

  @Test
  @Behaviour("H1: a window function has state of its windows and of their key, and clears it")
  void windowFunctionsHaveStateOfEachWindow() {
    for (int i = 0; i < SEEDS; i++) {
      Random random = new Random(2800 + i);
      List<Event> events = RandomEvents.bounded(random, random.nextInt(600), 200);
      int most = 1 + random.nextInt(4);
      Map<String, Integer> records = new LinkedHashMap<>();
      Map<Object, Integer> firesOfKey = new LinkedHashMap<>();
      List<String> expected = new ArrayList<>();
      for (Event event : events) {
        long start = Math.floorDiv(event.time(), 100) * 100;
        TimeWindow window = new TimeWindow(start, start + 100);
        int count = records.merge(event.key() + " " + window, 1, Integer::sum);
        if (count % most == 0) {
          int ofKey = firesOfKey.merge(event.key(), 1, Integer::sum);
          expected.add(
              TriggeredPrograms.WindowFires.line(event.key(), window, count / most, ofKey));
        }
      }
      AtomicInteger clears = new AtomicInteger();
      String name = Fixtures.share(clears);
      TestRun run =
          hosts.run(
              i,
              random,
              env ->
                  env.fromCollection(events)
                      .parallelism(1)
                      .assignTimestampsAndWatermarks(RandomEvents.asSaid())
                      .parallelism(1)
                      .keyBy(Event::key)
                      .window(TumblingEventTimeWindows.of(Duration.ofMillis(100)))
                      .trigger(CountTrigger.of(most))
                      .process(new TriggeredPrograms.WindowFires(name))
                      .collectAs("fired"));
      assertThat(sorted(run.collected("fired"))).as("seed %s", i).isEqualTo(sorted(expected));
      assertThat(clears.get()).as("cleared windows, seed %s", i).isEqualTo(records.size());
    }
  }

  @Test
  void stateOfWindowsIsRefusedWhereThereIsNone() {
    assertThat(failure(TumblingEventTimeWindows.of(Duration.ofMillis(10)), false))
        .contains("has no state of the window here")
        .contains("Override clear");
    assertThat(failure(EventTimeSessionWindows.withGap(Duration.ofMillis(10)), true))
        .contains("Sessions merge, so that their windows have no state");
  }

  private static String failure(WindowAssigner assigner, boolean clears) {
    ProcessWindowFunction<Event, String, Object> plain =
        (key, context, events, out) -> context.windowState();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.start(
              ProgramGraphs.graph(
                  env ->
                      env.fromCollection(List.of(at(1, 1, NONE)))
                          .assignTimestampsAndWatermarks(RandomEvents.asSaid())
                          .keyBy(Event::key)
                          .window(assigner)
                          .process(clears ? new TriggeredPrograms.WindowFires("") : plain)
                          .collectAs("fired")),
              host);
      run.await("a failure", () -> !run.failures().isEmpty());
      String message = run.failures().get(0).message();
      run.cancel();
      run.awaitEnd();
      return message;
    }
  }
}
