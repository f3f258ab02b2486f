package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.graph.KeyGroups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Windows and timers, step by step in a time that the test moves, do what naive models do. A
 * failure names its seed.
 */
class ControlledTimeTest {
  private static final int SEEDS = TestBackends.seeds(25);
  private static final int STEPS = 40;
  private static final OutputTag<Event> LATE = new OutputTag<>("late");
  private static final OutputTag<Integer> SEEN = new OutputTag<>("seen");

  private static Event event(Random random, int id, int keys, long time) {
    return new Event(id, "key " + random.nextInt(keys), time, RandomEvents.NO_WATERMARK);
  }

  private static void assertSame(long seed, List<Object> actual, List<?> expected) {
    assertThat(WindowsTest.sorted(actual))
        .as("seed %s", seed)
        .isEqualTo(WindowsTest.sorted(expected));
  }

  // --- windows in processing time

  @Test
  @Behaviour("H1: processing-time windows fire by themselves and at the end of the input")
  void windowsInProcessingTimeDeliverWhatTheModelDelivers() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      WindowAssigner assigner = WindowsTest.assigner(random, false);
      WindowModel model = new WindowModel(assigner, 0);
      int sources = 1 + random.nextInt(3);
      int parallelism = 1 + random.nextInt(4);
      int keys = 1 + random.nextInt(10);
      int how = random.nextInt(3);
      try (ScriptedRun script = new ScriptedRun()) {
        TestRun run =
            script.start(
                env ->
                    WindowsTest.fired(
                            env.fromSource(script.source(), "script")
                                .parallelism(sources)
                                .keyBy(script.key())
                                .window(assigner),
                            how)
                        .parallelism(parallelism)
                        .collectAs("fired"));
        int id = 0;
        for (int step = 0; step < STEPS; step++) {
          if (random.nextInt(3) == 0) {
            script.advance(random.nextInt(300));
            model.advance(script.now() - 1);
            script.awaitCollected("fired", model.fired.size());
          } else {
            List<Event> events = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
              events.add(event(random, id++, keys, script.now()));
            }
            events.forEach(model::add);
            script.send(random.nextInt(sources), events);
          }
        }
        script.end();
        model.advance(Long.MAX_VALUE);
        assertThat(run.failures()).as("seed %s", seed).isEmpty();
        assertSame(seed, run.collected("fired"), WindowsTest.expected(model, how));
      }
    }
  }

  // --- event time over several inputs

  @Test
  @Behaviour("H1: event time is the minimum of all channels that are neither idle nor ended")
  void eventTimeIsThatOfTheSlowestInputWhoeverSendsWhat() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      WindowAssigner assigner = WindowsTest.assigner(random, true);
      int lateness = random.nextBoolean() ? 0 : random.nextInt(400);
      WindowModel model = new WindowModel(assigner, lateness);
      int sources = 1 + random.nextInt(3);
      int parallelism = 1 + random.nextInt(4);
      int how = random.nextInt(3);
      try (ScriptedRun script = new ScriptedRun()) {
        TestRun run =
            script.start(
                env -> {
                  DataStream<String> fired =
                      WindowsTest.fired(
                              env.fromSource(script.source(), "script")
                                  .parallelism(sources)
                                  .assignTimestampsAndWatermarks(RandomEvents.asSaid())
                                  .parallelism(sources)
                                  .keyBy(script.key())
                                  .window(assigner)
                                  .allowedLateness(Duration.ofMillis(lateness))
                                  .sideOutputLateData(LATE),
                              how)
                          .parallelism(parallelism);
                  fired.sideOutput(LATE).map(Event::id).collectAs("late");
                  fired.collectAs("fired");
                });
        long[] reached = new long[sources];
        Arrays.fill(reached, Long.MIN_VALUE);
        long watermark = Long.MIN_VALUE;
        List<String> everywhere = aKeyForEach(parallelism);
        int id = 0;
        for (int step = 0; step < STEPS; step++) {
          int source = random.nextInt(sources);
          List<Event> events = new ArrayList<>();
          for (int i = random.nextInt(10); i >= 0; i--) {
            events.add(event(random, id++, 5, step * 20L + random.nextInt(600) - 300));
          }
          events.forEach(model::add);
          if (random.nextBoolean()) {
            long mark = step * 20L - random.nextInt(200);
            Event last = events.get(events.size() - 1);
            events.set(events.size() - 1, new Event(last.id(), last.key(), last.time(), mark));
            reached[source] = Math.max(reached[source], mark);
            long lowest = Arrays.stream(reached).min().getAsLong();
            if (lowest > watermark) {
              watermark = lowest;
              model.advance(watermark);
            }
            // What comes behind the watermark on every channel shows that it has come.
            for (String key : everywhere) {
              Event behind = new Event(id++, key, step * 20L, RandomEvents.NO_WATERMARK);
              events.add(behind);
              model.add(behind);
            }
          }
          script.send(source, events);
        }
        script.end();
        model.advance(Long.MAX_VALUE);
        assertThat(run.failures()).as("seed %s", seed).isEmpty();
        assertSame(seed, run.collected("fired"), WindowsTest.expected(model, how));
        assertSame(seed, run.collected("late"), model.late);
      }
    }
  }

  @Test
  @Behaviour("H1: event time is the minimum of all channels that are neither idle nor ended")
  void anInputThatIsIdleHoldsEventTimeBackAgainFromItsNextRecordOn() {
    try (ScriptedRun script = new ScriptedRun()) {
      TestRun run =
          script.start(
              env -> {
                DataStream<String> fired =
                    WindowsTest.fired(
                        env.fromSource(script.source(), "script")
                            .parallelism(2)
                            .assignTimestampsAndWatermarks(RandomEvents.asSaid())
                            .parallelism(2)
                            .keyBy(script.key())
                            .window(new WindowAssigner.Aligned(100, 100, 0, true))
                            .sideOutputLateData(LATE),
                        0);
                fired.sideOutput(LATE).map(Event::id).collectAs("late");
                fired.collectAs("fired");
              });
      script.send(0, List.of(new Event(0, "a", 10, 150)));
      assertThat(run.collected("fired")).isEmpty();
      script.send(1, List.of(new Event(1, "b", 20, RandomEvents.IDLE)));
      script.awaitCollected("fired", 2);
      // Active again, without a word on how far it is: nothing after it goes on.
      script.send(1, List.of(new Event(2, "b", 160, RandomEvents.NO_WATERMARK)));
      script.send(0, List.of(new Event(3, "a", 170, 1000), behind(4, 180)));
      script.send(1, List.of(new Event(5, "b", 190, 500), behind(6, 600)));
      script.awaitCollected("fired", 4);
      script.end();
      assertThat(run.failures()).isEmpty();
      assertThat(run.collected("late")).isEmpty();
      assertSame(
          0,
          run.collected("fired"),
          List.of(
              "String a 0..100 [0]",
              "String b 0..100 [1]",
              "String a 100..200 [3, 4]",
              "String b 100..200 [2, 5]",
              "String a 600..700 [6]"));
    }
  }

  private static Event behind(int id, long time) {
    return new Event(id, "a", time, RandomEvents.NO_WATERMARK);
  }

  private static List<String> aKeyForEach(int subtasks) {
    Map<Integer, String> keys = new TreeMap<>();
    for (int i = 0; keys.size() < subtasks; i++) {
      String key = "at " + i;
      int group = KeyGroups.groupOf(key, TestJobGraph.MAX_PARALLELISM);
      keys.putIfAbsent(KeyGroups.subtaskOf(group, TestJobGraph.MAX_PARALLELISM, subtasks), key);
    }
    return List.copyOf(keys.values());
  }

  // --- timers in processing time

  /** Sets timers, takes some back, and has timers set others. */
  private static final class Waits extends KeyedProcessFunction<Object, Event, String> {
    private static final long serialVersionUID = 1L;

    private transient ListState<Integer> since;
    private transient MapState<Integer, Long> byRest;

    @Override
    public void open(RuntimeContext context) {
      since = context.listState(new ListStateDescriptor<>("since"));
      byRest = context.mapState(new MapStateDescriptor<>("by rest"));
    }

    @Override
    public void process(Event event, Context<Object> context, Collector<String> out) {
      long now = context.timerService().currentProcessingTime();
      since.add(event.id());
      long due = now + event.id() % 7 * 30L;
      Long before = byRest.get(event.id() % 3);
      if (before != null && event.id() % 4 == 0) {
        context.timerService().deleteProcessingTimeTimer(before);
      }
      context.timerService().registerProcessingTimeTimer(due);
      byRest.put(event.id() % 3, due);
      context.output(SEEN, event.id());
    }

    @Override
    public void onTimer(long time, OnTimerContext<Object> context, Collector<String> out) {
      assertThat(context.timeDomain()).isEqualTo(TimeDomain.PROCESSING_TIME);
      out.emit(line(context.currentKey(), time, since.values(), byRest.entries()));
      since.clear();
      byRest.remove((int) (time % 3));
      if (time % 4 == 0) {
        context.timerService().registerProcessingTimeTimer(time + 45);
      }
    }
  }

  private static String line(Object key, long time, List<Integer> since, Map<Integer, Long> rest) {
    return key + " at " + time + " " + since + " " + new TreeMap<>(rest);
  }

  private static final class Model {
    final Object key;
    List<Integer> since = new ArrayList<>();
    final Map<Integer, Long> byRest = new TreeMap<>();
    final TreeSet<Long> timers = new TreeSet<>();

    Model(Object key) {
      this.key = key;
    }

    void add(Event event, long now) {
      since.add(event.id());
      Long before = byRest.get(event.id() % 3);
      if (before != null && event.id() % 4 == 0) {
        timers.remove(before);
      }
      timers.add(now + event.id() % 7 * 30L);
      byRest.put(event.id() % 3, now + event.id() % 7 * 30L);
    }

    void advance(long now, boolean goesOn, List<String> fired) {
      while (!timers.isEmpty() && timers.first() <= now) {
        long time = timers.pollFirst();
        fired.add(line(key, time, since, byRest));
        since = new ArrayList<>();
        byRest.remove((int) (time % 3));
        if (time % 4 == 0 && goesOn) {
          timers.add(time + 45);
        }
      }
    }
  }

  @Test
  @Behaviour("H1: a timer fires once per key and time, in order, and not after its deletion")
  void timersInProcessingTimeFireWhatTheModelFires() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      int sources = 1 + random.nextInt(3);
      int parallelism = 1 + random.nextInt(4);
      int keys = 1 + random.nextInt(20);
      try (ScriptedRun script = new ScriptedRun()) {
        TestRun run =
            script.start(
                env -> {
                  DataStream<String> fired =
                      env.fromSource(script.source(), "script")
                          .parallelism(sources)
                          .keyBy(script.key())
                          .process(new Waits())
                          .parallelism(parallelism);
                  fired.sideOutput(SEEN).collectAs("seen");
                  fired.collectAs("fired");
                });
        Map<Object, Model> models = new TreeMap<>();
        List<String> fired = new ArrayList<>();
        int id = 0;
        for (int step = 0; step < STEPS; step++) {
          if (random.nextInt(3) == 0) {
            script.advance(random.nextInt(150));
          } else {
            List<Event> events = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
              events.add(event(random, id++, keys, 0));
            }
            // One after the other: what is due at once may fire between two of them.
            for (Event event : events) {
              models.computeIfAbsent(event.key(), Model::new).add(event, script.now());
              script.send(random.nextInt(sources), List.of(event));
              script.awaitCollected("seen", event.id() + 1);
              models.values().forEach(model -> model.advance(script.now(), true, fired));
              script.advance(0);
              script.awaitCollected("fired", fired.size());
            }
          }
          models.values().forEach(model -> model.advance(script.now(), true, fired));
          script.awaitCollected("fired", fired.size());
        }
        script.end();
        models.values().forEach(model -> model.advance(Long.MAX_VALUE, false, fired));
        assertThat(run.failures()).as("seed %s", seed).isEmpty();
        assertSame(seed, run.collected("fired"), fired);
      }
    }
  }
}
