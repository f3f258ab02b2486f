package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessWindowFunction;
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
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.Bytes;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.graph.JobGraph;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.StateAssignment;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs that are killed and go on from a checkpoint, at the same, a lower and a higher parallelism,
 * have the results of an undisturbed run. A failure names its seed.
 */
class CheckpointTest {
  static final int DISORDER = 40;
  private static final OutputTag<String> SIDE = new OutputTag<>("side");

  @TempDir Path directory;

  /** A program from events to results. */
  interface Program {
    DataStream<String> of(StreamEnvironment env, DataStream<Event> events);
  }

  /** Counts and remembers, in an object that it changes in place. */
  static final class Tally {
    int count;
    long sum;
    final List<Integer> ids = new ArrayList<>();
  }

  static final class Tallying implements AggregateFunction<Event, Tally, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public Tally create() {
      return new Tally();
    }

    @Override
    public Tally add(Tally tally, Event event) {
      tally.count++;
      tally.sum += event.id();
      tally.ids.add(event.id());
      return tally;
    }

    @Override
    public String result(Tally tally) {
      return tally.count + " of " + tally.sum + " " + tally.ids.stream().sorted().toList();
    }

    @Override
    public Tally merge(Tally left, Tally right) {
      left.count += right.count;
      left.sum += right.sum;
      left.ids.addAll(right.ids);
      return left;
    }
  }

  /** Like {@link Tallying}, but emits only the count, which does not depend on the order. */
  static final class Counting implements AggregateFunction<Event, Tally, String> {
    private static final long serialVersionUID = 1L;
    private final Tallying tallying = new Tallying();

    @Override
    public Tally create() {
      return new Tally();
    }

    @Override
    public Tally add(Tally tally, Event event) {
      return tallying.add(tally, event);
    }

    @Override
    public String result(Tally tally) {
      return tally.count + (tally.ids.size() == tally.count ? "" : " torn");
    }
  }

  record KeyCount(Object key, int count) {}

  static final class Window implements ProcessWindowFunction<String, String, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
        Object key,
        ProcessWindowFunction.Context context,
        Iterable<String> tallies,
        Collector<String> out) {
      tallies.forEach(tally -> out.emit(key + " " + context.window() + " " + tally));
    }
  }

  static final class Ids implements ProcessWindowFunction<Event, String, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
        Object key,
        ProcessWindowFunction.Context context,
        Iterable<Event> events,
        Collector<String> out) {
      List<Integer> ids = new ArrayList<>();
      events.forEach(event -> ids.add(event.id()));
      ids.sort(null);
      out.emit(key + " " + context.window() + " " + ids);
    }
  }

  /** Uses every kind of keyed state and event-time timers. */
  static final class EveryState extends KeyedProcessFunction<Object, Event, String> {
    private static final long serialVersionUID = 1L;
    private transient ValueState<Tally> value;
    private transient ListState<Integer> list;
    private transient ListState<Tally> objects;
    private transient MapState<String, Long> map;
    private transient MapState<Integer, List<Integer>> lists;
    private transient ReducingState<Long> reducing;
    private transient AggregatingState<Event, String> aggregating;

    @Override
    public void open(RuntimeContext context) {
      value = context.state(new ValueStateDescriptor<>("value"));
      list = context.listState(new ListStateDescriptor<>("list"));
      objects = context.listState(new ListStateDescriptor<>("objects"));
      map = context.mapState(new MapStateDescriptor<>("map"));
      lists = context.mapState(new MapStateDescriptor<>("lists"));
      reducing = context.reducingState(new ReducingStateDescriptor<>("reducing", Long::sum));
      aggregating =
          context.aggregatingState(new AggregatingStateDescriptor<>("aggregating", new Tallying()));
    }

    @Override
    public void process(Event event, Context<Object> context, Collector<String> out)
        throws Exception {
      Tally tally = value.value();
      if (tally == null) {
        tally = new Tally();
        value.update(tally);
      }
      // Changed in place, without an update.
      tally.count++;
      tally.ids.add(event.id());
      list.add(event.id());
      Tally one = new Tally();
      one.ids.add(event.id());
      objects.add(one);
      map.put("of " + event.id() % 7, map.contains("of " + event.id() % 7) ? 2L : 1L);
      List<Integer> bucket = lists.get(event.id() % 3);
      if (bucket == null) {
        bucket = new ArrayList<>();
      }
      bucket.add(event.id());
      lists.put(event.id() % 3, bucket);
      reducing.add((long) event.id());
      aggregating.add(event);
      context.timerService().registerEventTimeTimer(event.time() / 100 * 100 + 100);
      context.timerService().registerEventTimeTimer(Long.MAX_VALUE - 1);
      out.emit(context.currentKey() + " #" + tally.count);
      context.output(SIDE, "side " + event.id());
    }

    @Override
    public void onTimer(long time, OnTimerContext<Object> context, Collector<String> out)
        throws Exception {
      if (time < Long.MAX_VALUE - 1) {
        out.emit(context.currentKey() + " at " + time);
        return;
      }
      Map<Integer, List<Integer>> sorted = new TreeMap<>();
      lists.entries().forEach((bucket, ids) -> sorted.put(bucket, ids.stream().sorted().toList()));
      out.emit(
          context.currentKey()
              + " has "
              + value.value().ids.stream().sorted().toList()
              + list.values().stream().sorted().toList()
              + objects.values().stream().map(each -> each.ids.get(0)).sorted().toList()
              + new TreeMap<>(map.entries())
              + sorted
              + reducing.value()
              + aggregating.value());
    }
  }

  /** Emits each event once, when a processing-time timer of its key fires. */
  static final class Batching extends KeyedProcessFunction<Object, Event, String> {
    private static final long serialVersionUID = 1L;
    private transient ListState<Integer> waiting;

    @Override
    public void open(RuntimeContext context) {
      waiting = context.listState(new ListStateDescriptor<>("waiting"));
    }

    @Override
    public void process(Event event, Context<Object> context, Collector<String> out) {
      if (waiting.values().isEmpty()) {
        context
            .timerService()
            .registerProcessingTimeTimer(context.timerService().currentProcessingTime() + 20);
      }
      waiting.add(event.id());
    }

    @Override
    public void onTimer(long time, OnTimerContext<Object> context, Collector<String> out) {
      waiting.values().forEach(id -> out.emit(context.currentKey() + " " + id));
      waiting.clear();
    }
  }

  static final Map<String, Program> PROGRAMS = new LinkedHashMap<>();

  static {
    PROGRAMS.put("count", (env, events) -> events.keyBy(Event::key).count().map(c -> c.toString()));
    PROGRAMS.put(
        "reduce",
        (env, events) ->
            events
                .map(event -> new KeyCount(event.key(), 1))
                .keyBy(KeyCount::key)
                .reduce((a, b) -> new KeyCount(a.key(), a.count() + b.count()))
                .map(KeyCount::toString));
    PROGRAMS.put("aggregate", (env, events) -> events.keyBy(Event::key).aggregate(new Counting()));
    PROGRAMS.put(
        "states, timers and side output",
        (env, events) -> {
          DataStream<String> main = events.keyBy(Event::key).process(new EveryState());
          return main.union(main.sideOutput(SIDE));
        });
    PROGRAMS.put("tumbling", windows(new WindowAssigner.Aligned(200, 200, 3, true), 0));
    PROGRAMS.put(
        "tumbling with lateness", windows(new WindowAssigner.Aligned(90, 90, 0, true), 50));
    PROGRAMS.put("sliding", windows(new WindowAssigner.Aligned(300, 70, 5, true), 0));
    PROGRAMS.put("sliding in step", windows(new WindowAssigner.Aligned(400, 50, 0, true), 100));
    PROGRAMS.put("sessions", windows(new WindowAssigner.Session(60, true), 0));
    PROGRAMS.put("sessions with lateness", windows(new WindowAssigner.Session(45, true), 70));
    PROGRAMS.put("records", records(new WindowAssigner.Aligned(250, 250, 0, true)));
    PROGRAMS.put("sliding records", records(new WindowAssigner.Aligned(250, 100, 0, true)));
    PROGRAMS.put("records of sessions", records(new WindowAssigner.Session(50, true)));
    PROGRAMS.put(
        "processing-time timers",
        (env, events) -> events.keyBy(Event::key).process(new Batching()));
    PROGRAMS.put(
        "processing-time windows",
        (env, events) ->
            events
                .keyBy(Event::key)
                .window(new WindowAssigner.Aligned(30, 30, 0, false))
                .process(
                    (ProcessWindowFunction<Event, String, Object>)
                        (key, context, found, out) ->
                            found.forEach(event -> out.emit(key + " " + event.id()))));
    PROGRAMS.put(
        "reduced windows",
        (env, events) ->
            events
                .keyBy(Event::key)
                .window(new WindowAssigner.Aligned(300, 60, 0, true))
                .reduce(
                    (a, b) -> a.id() > b.id() ? a : b,
                    (ProcessWindowFunction<Event, String, Object>)
                        (key, context, found, out) ->
                            found.forEach(
                                event -> out.emit(key + " " + context.window() + event.id()))));
    PROGRAMS.putAll(FunctionStatePrograms.all());
    PROGRAMS.putAll(TwoInputPrograms.all());
    PROGRAMS.putAll(TriggeredPrograms.all());
    PROGRAMS.putAll(AsyncRequestsTest.programs());
    PROGRAMS.putAll(LookupJoinTest.programs());
    PROGRAMS.putAll(CustomOperatorsTest.programs());
    PROGRAMS.put(
        "two keyed steps behind rebalance, union and broadcast",
        (env, events) -> {
          DataStream<Event> shuffled = events.rebalance().map(event -> event);
          DataStream<Event> both = shuffled.union(events.filter(event -> event.id() % 2 == 0));
          DataStream<String> counted =
              both.keyBy(Event::key).count().map(counted2 -> counted2.toString());
          DataStream<String> everywhere =
              events
                  .filter(event -> event.id() % 50 == 0)
                  .broadcast()
                  .map(event -> "b" + event.id());
          return counted.keyBy(text -> text).count().map(c -> c.toString()).union(everywhere);
        });
  }

  private static Program windows(WindowAssigner assigner, int lateness) {
    return (env, events) ->
        events
            .keyBy(Event::key)
            .window(assigner)
            .allowedLateness(Duration.ofMillis(lateness))
            .aggregate(new Tallying(), new Window());
  }

  private static Program records(WindowAssigner assigner) {
    return (env, events) -> events.keyBy(Event::key).window(assigner).process(new Ids());
  }

  static JobGraph graph(Replay replay, Program program, int parallelism) {
    JobGraph graph = graph(replay, program, parallelism, DISORDER);
    // Watermarks come between all records.
    return graph.withConfiguration(
        graph.configuration().with(PipelineOptions.AUTO_WATERMARK_INTERVAL.key(), "1 ms"));
  }

  /**
   * @param disorder how far watermarks stay behind
   */
  static JobGraph graph(Replay replay, Program program, int parallelism, int disorder) {
    return graph(replay, program, parallelism, RandomEvents.within(disorder));
  }

  static JobGraph graph(
      Replay replay, Program program, int parallelism, WatermarkStrategy<Event> watermarks) {
    return ProgramGraphs.graph(
        env -> {
          env.parallelism(parallelism).maxParallelism(16);
          // Of one parallelism, because a broadcast has a copy for each subtask.
          program
              .of(env, env.fromSource(replay.source(), watermarks, "events"))
              .sinkTo(replay.sink());
        });
  }

  static List<DataPlane> hosts(int count) {
    List<DataPlane> hosts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      hosts.add(
          count == 1
              ? new DataPlane(DataPlaneSettings.inProcess(2))
              : new DataPlane(
                  DataPlaneSettings.listening(
                      2,
                      DataPort.loopback(
                          0, Bytes.utf8("checkpoints"), new NetworkMemory(4 << 20, 1024)))));
    }
    return hosts;
  }

  CheckpointRequest request(long checkpoint, CheckpointRequest.Type type, int inlineThreshold) {
    return KilledRuns.request(directory, checkpoint, type, inlineThreshold);
  }

  CheckpointRequest request(long checkpoint) {
    return request(checkpoint, CheckpointRequest.Type.CHECKPOINT, 100);
  }

  private static TestRun start(
      JobGraph graph, List<DataPlane> hosts, List<StateAssignment> restored) {
    TestRun run = TestRun.of(graph, hosts.toArray(new DataPlane[0]));
    restored.forEach(run::restoring);
    return run.deploy(1, subtask -> subtask % hosts.size());
  }

  static List<String> undisturbed(long seed, Program program, int events, int parallelism) {
    Replay replay = new Replay(seed, events, DISORDER);
    replay.allowAll();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.start(graph(replay, program, parallelism), host).awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
    return replay.results();
  }

  @TestFactory
  @Behaviour("H4: a job that is killed goes on from its last checkpoint as if nothing had happened")
  Stream<DynamicTest> killedJobsHaveTheResultsOfAnUndisturbedRun() {
    return PROGRAMS.entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    entry.getKey(),
                    () -> {
                      for (long seed = 1; seed <= TestBackends.seeds(3); seed++) {
                        killAndContinue(entry.getKey(), entry.getValue(), seed);
                      }
                    }));
  }

  private void killAndContinue(String name, Program program, long seed) {
    Random random = new Random(seed * 31 + name.hashCode());
    int events = 400;
    // The copies of a broadcast depend on the parallelism, which stays the same then.
    boolean rescales = !name.contains("broadcast");
    Replay replay = new Replay(seed, events, DISORDER);
    new KilledRuns(directory, random)
        .run(replay, program, rescales ? new int[] {3, 3, 1, 4, 2} : new int[] {3, 3, 3, 3, 3});
    assertThat(replay.results())
        .as("seed %s", seed)
        .isEqualTo(undisturbed(seed, program, events, rescales ? 2 : 3));
  }

  @Test
  @Behaviour("H4: a checkpoint is taken while some subtasks of a source have finished")
  void finishedSubtasksOfASourceReadNothingAgain() {
    Program program = PROGRAMS.get("states, timers and side output");
    for (int parallelism : new int[] {4, 2, 3}) {
      Replay replay = new Replay(21, 400, DISORDER).uneven();
      try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
        replay.allow(250);
        TestRun run = TestRun.start(graph(replay, program, 4), host);
        run.await("two readers have finished", () -> run.count(TaskState.FINISHED) == 2);
        CheckpointRequest request = request(1);
        run.trigger(request);
        run.awaitStored(1);
        StateAssignment state = run.assignment(request);
        run.cancel();
        run.awaitEnd();
        replay.allowAll();
        TestRun next =
            TestRun.of(graph(replay, program, parallelism), host)
                .restoring(state)
                .deploy(2, subtask -> 0)
                .awaitEnd();
        assertThat(next.failures()).isEmpty();
      }
      Replay expected = new Replay(21, 400, DISORDER).uneven();
      expected.allowAll();
      try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
        TestRun.start(graph(expected, program, 2), host).awaitEnd();
      }
      assertThat(replay.results()).as("parallelism %s", parallelism).isEqualTo(expected.results());
    }
  }

  @Test
  void aBarrierWithLongPathsPassesBetweenProcessesInSeveralFrames() throws IOException {
    Path deep = directory;
    for (int i = 0; i < 12; i++) {
      deep = deep.resolve(("part-" + i).repeat(20));
    }
    Files.createDirectories(deep);
    assertThat(deep.toString().length()).isGreaterThan(1024);
    Replay replay = new Replay(22, 200, DISORDER);
    List<DataPlane> hosts = hosts(2);
    try {
      TestRun run = start(graph(replay, PROGRAMS.get("count"), 3), hosts, List.of());
      run.awaitRunning();
      replay.allow(100);
      CheckpointRequest request =
          new CheckpointRequest(
              1,
              0,
              CheckpointRequest.Type.CHECKPOINT,
              CheckpointRequest.Barriers.ALIGNED,
              deep.toString(),
              deep.toString(),
              0);
      run.trigger(request);
      run.awaitStored(1);
      replay.allowAll();
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
    } finally {
      hosts.forEach(DataPlane::close);
    }
  }

  private static final List<WeakReference<Tracked>> TRACKED = new CopyOnWriteArrayList<>();

  /** A value whose memory is observed. */
  static final class Tracked {
    int content;
  }

  /** Replaces the value of a key with each event. */
  static final class Replacing extends KeyedProcessFunction<Object, Event, String> {
    private static final long serialVersionUID = 1L;
    private transient ValueState<Tracked> value;

    @Override
    public void open(RuntimeContext context) {
      value = context.state(new ValueStateDescriptor<>("value"));
    }

    @Override
    public void process(Event event, Context<Object> context, Collector<String> out) {
      Tracked tracked = new Tracked();
      tracked.content = event.id();
      TRACKED.add(new WeakReference<>(tracked));
      value.update(tracked);
      out.emit("done");
    }
  }

  @Test
  void theMemoryOfASnapshotIsReleased() {
    Replay replay = new Replay(23, 400, DISORDER);
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.start(
                  graph(
                      replay,
                      (env, events) -> events.keyBy(Event::key).process(new Replacing()),
                      2),
                  host)
              .awaitRunning();
      for (int checkpoint = 1; checkpoint <= 3; checkpoint++) {
        replay.allow(100 * checkpoint);
        run.trigger(request(checkpoint));
        run.awaitStored(checkpoint);
      }
      // All values are replaced after the last checkpoint.
      replay.allow(399);
      int read = 399 * Replay.SPLITS;
      run.await("all events are processed", () -> TRACKED.size() == read);
      run.await(
          "only current values are left",
          () -> {
            System.gc();
            return TRACKED.stream().filter(value -> value.get() != null).count() <= 40;
          });
      run.cancel();
      run.awaitEnd();
    }
  }

  @TestFactory
  @Behaviour("H4: a snapshot does not contain what the task does while it is written")
  Stream<DynamicTest> aSnapshotThatIsWrittenLateHasTheStateOfItsBarrier() {
    return PROGRAMS.entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    entry.getKey(), () -> writeLate(entry.getKey(), entry.getValue())));
  }

  /** Processes records while the threads that write the snapshot are blocked before its state. */
  private void writeLate(String name, Program program) throws Exception {
    Replay replay = new Replay(31, 300, DISORDER);
    FaultyFiles.block();
    CheckpointRequest request =
        new CheckpointRequest(
            1,
            0,
            CheckpointRequest.Type.CHECKPOINT,
            CheckpointRequest.Barriers.ALIGNED,
            "faulty://late/blocked-" + Integer.toHexString(name.hashCode()),
            "faulty://late/shared",
            0);
    StateAssignment state;
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.start(graph(replay, program, 2), host).awaitRunning();
      replay.allow(150);
      // There is state at the barrier.
      run.await("events are read", () -> replay.eventsRead() == 150 * Replay.SPLITS);
      run.trigger(request);
      FaultyFiles.begun.await();
      replay.allow(250);
      run.await(
          "the events behind the barrier are processed",
          () ->
              host.counters(run.job()).stream().mapToLong(TaskCounters::recordsIn).sum()
                  >= 250 * Replay.SPLITS);
      FaultyFiles.unblocked.countDown();
      run.awaitStored(1);
      state = run.assignment(request);
      assertThat(run.failures()).isEmpty();
    } finally {
      FaultyFiles.unblocked.countDown();
    }
    replay.allowAll();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun next =
          TestRun.of(graph(replay, program, 2), host)
              .restoring(state)
              .deploy(1, subtask -> 0)
              .awaitEnd();
      assertThat(next.failures()).isEmpty();
    }
    assertThat(replay.results()).isEqualTo(undisturbed(31, program, 300, 2));
  }
}
