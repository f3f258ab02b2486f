package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.WindowedStream;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.source.CollectionSource;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.CountEvictor;
import io.millrace.api.window.EventTimeTrigger;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.Trigger;
import io.millrace.api.window.TriggerResult;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.Bytes;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Random windows over random streams, on random hosts, deliver what a naive model delivers. A
 * failure names its seed.
 */
class WindowsTest {
  private static final int SEEDS = TestBackends.seeds(40);
  private static final OutputTag<Event> LATE = new OutputTag<>("late");
  private static final List<DataPlane> HOSTS = new ArrayList<>();

  @BeforeAll
  static void start() {
    for (int i = 0; i < 3; i++) {
      HOSTS.add(
          new DataPlane(
              DataPlaneSettings.listening(
                  2,
                  DataPort.loopback(0, Bytes.utf8("windows"), new NetworkMemory(4 << 20, 1024)))));
    }
  }

  @AfterAll
  static void close() {
    HOSTS.forEach(DataPlane::close);
    HOSTS.clear();
  }

  /** The ids of a window's events. */
  private static final class Ids implements AggregateFunction<Event, List<Integer>, List<Integer>> {
    private static final long serialVersionUID = 1L;

    @Override
    public List<Integer> create() {
      return new ArrayList<>();
    }

    @Override
    public List<Integer> add(List<Integer> ids, Event event) {
      ids.add(event.id());
      return ids;
    }

    @Override
    public List<Integer> result(List<Integer> ids) {
      return ids.stream().sorted().toList();
    }

    @Override
    public List<Integer> merge(List<Integer> left, List<Integer> right) {
      left.addAll(right);
      return left;
    }
  }

  private static final class Line implements ProcessWindowFunction<List<Integer>, String, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
        Object key, Context context, Iterable<List<Integer>> ids, Collector<String> out) {
      for (List<Integer> one : ids) {
        out.emit(WindowModel.line(key, context.window().start(), context.window().end(), one));
      }
    }
  }

  static WindowAssigner assigner(Random random, boolean isEventTime) {
    int size = 1 + random.nextInt(400);
    return switch (random.nextInt(4)) {
      case 0 -> new WindowAssigner.Aligned(size, size, random.nextInt(size), isEventTime);
      case 1 -> {
        int slide = 1 + size / (1 + random.nextInt(6));
        yield new WindowAssigner.Aligned(size, slide, -random.nextInt(slide), isEventTime);
      }
      case 2 -> {
        int slide = Math.max(1, size / (7 + random.nextInt(33)));
        yield new WindowAssigner.Aligned(size, slide, random.nextInt(slide), isEventTime);
      }
      default -> new WindowAssigner.Session(size, isEventTime);
    };
  }

  /** Does what the default trigger does, as a trigger of the program. */
  static final class OwnTrigger extends Trigger<Event> {
    private static final long serialVersionUID = 1L;
    private final EventTimeTrigger same = EventTimeTrigger.create();

    @Override
    public TriggerResult onElement(
        Event event, long timestamp, TimeWindow window, TriggerContext context) {
      return same.onElement(event, timestamp, window, context);
    }

    @Override
    public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
      return same.onEventTime(time, window, context);
    }

    @Override
    public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context) {
      return same.onProcessingTime(time, window, context);
    }

    @Override
    public void clear(TimeWindow window, TriggerContext context) {
      same.clear(window, context);
    }

    @Override
    public boolean canMerge() {
      return true;
    }

    @Override
    public void onMerge(TimeWindow window, OnMergeContext context) {
      same.onMerge(window, context);
    }
  }

  /** The windows' lines under "fired", the late events under "late". */
  private static void deliver(
      DataStream<Event> events,
      WindowAssigner assigner,
      int lateness,
      int how,
      int parallelism,
      boolean triggered) {
    WindowedStream<Event, Object> windows =
        events
            .keyBy(Event::key)
            .window(assigner)
            .allowedLateness(Duration.ofMillis(lateness))
            .sideOutputLateData(LATE);
    if (triggered) {
      windows.trigger(new OwnTrigger());
      if (how == 1) {
        windows.evictor(CountEvictor.of(Integer.MAX_VALUE));
      }
    }
    DataStream<String> fired = fired(windows, how);
    fired.parallelism(parallelism);
    fired.sideOutput(LATE).map(Event::id).parallelism(parallelism).collectAs("late");
    fired.collectAs("fired").parallelism(parallelism);
  }

  /** A line for each window that fires, made in one of three ways. */
  static DataStream<String> fired(WindowedStream<Event, Object> windows, int how) {
    return switch (how) {
      case 0 -> windows.aggregate(new Ids(), new Line());
      case 1 ->
          windows.process(
              (key, context, content, out) -> {
                List<Integer> ids = new ArrayList<>();
                content.forEach(event -> ids.add(event.id()));
                ids.sort(null);
                out.emit(
                    WindowModel.line(key, context.window().start(), context.window().end(), ids));
              });
      default ->
          windows.reduce(
              (left, right) -> left.id() < right.id() ? right : left,
              (key, context, content, out) ->
                  content.forEach(
                      event ->
                          out.emit(
                              WindowModel.line(
                                  key,
                                  context.window().start(),
                                  context.window().end(),
                                  List.of(event.id())))));
    };
  }

  /** Lines in an order in which they are quickly compared. */
  static List<String> sorted(List<?> lines) {
    return lines.stream().map(String::valueOf).sorted().toList();
  }

  static List<String> expected(WindowModel model, int how) {
    if (how < 2) {
      return model.fired;
    }
    // Reduced to the highest id.
    return model.fired.stream()
        .map(line -> line.replaceAll("\\[(?:\\d+, )*(\\d+)\\]", "[$1]"))
        .toList();
  }

  @Test
  @Behaviour(
      "H1: windows give the results of a naive model for any lateness, parallelism and number of"
          + " hosts")
  void nothingIsLateWhereWatermarksKeepTheDistanceHoweverParallelSourcesAre() {
    for (int i = 0; i < SEEDS; i++) {
      check(100 + i, false, false);
    }
  }

  @Test
  @Behaviour("H1: windows with a trigger of the program give the results of a naive model")
  void windowsWithATriggerOfTheProgramFireAsTheModelSays() {
    for (int i = 0; i < SEEDS; i++) {
      check(9000 + i, i % 2 == 0, true);
    }
  }

  @Test
  @Behaviour(
      "H1: windows give the results of a naive model for any lateness, parallelism and number of"
          + " hosts")
  void lateEventsFireAgainOrGoAsideAsTheModelSays() {
    for (int i = 0; i < SEEDS; i++) {
      check(5000 + i, true, false);
    }
  }

  private static void check(long seed, boolean late, boolean triggered) {
    Random random = new Random(seed);
    int disorder = random.nextInt(300);
    int count = random.nextInt(1500);
    List<Event> events =
        late
            ? RandomEvents.withLateOnes(random, count, disorder)
            : RandomEvents.bounded(random, count, disorder);
    WindowAssigner assigner = assigner(random, true);
    int lateness = random.nextBoolean() ? 0 : random.nextInt(400);
    int how = random.nextInt(3);
    int sources = late ? 1 : 1 + random.nextInt(4);
    int parallelism = 1 + random.nextInt(4);
    String interval = random.nextBoolean() ? "1 ms" : "200 ms";
    WatermarkStrategy<Event> strategy =
        late ? RandomEvents.asSaid() : RandomEvents.within(disorder);

    int hosts = 1 + random.nextInt(HOSTS.size());
    DataPlane[] chosen = HOSTS.subList(0, hosts).toArray(new DataPlane[0]);
    int[] placement = random.ints(5, 0, hosts).toArray();
    TestRun run =
        TestRun.of(
                ProgramGraphs.graph(
                    (StreamEnvironment env) -> {
                      env.configure("pipeline.auto-watermark-interval", interval);
                      DataStream<Event> timed =
                          env.fromSource(CollectionSource.of(events), "events")
                              .parallelism(sources)
                              .assignTimestampsAndWatermarks(strategy)
                              .parallelism(sources);
                      deliver(timed, assigner, lateness, how, parallelism, triggered);
                    }),
                chosen)
            .deploy(seed, subtask -> placement[subtask]);
    try {
      run.awaitEnd();
    } catch (AssertionError e) {
      throw new AssertionError("Seed " + seed, e);
    }

    WindowModel model = WindowModel.of(assigner, lateness, events);
    String about = "seed " + seed + ": " + assigner + ", lateness " + lateness;
    assertThat(run.failures()).as(about).isEmpty();
    assertThat(run.violations()).as(about).isEmpty();
    assertThat(run.count(TaskState.FINISHED)).isEqualTo(run.states().size());
    assertThat(sorted(run.collected("fired"))).as(about).isEqualTo(sorted(expected(model, how)));
    assertThat(sorted(run.collected("late"))).as(about).isEqualTo(sorted(model.late));
  }
}
