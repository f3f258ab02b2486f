package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.CheckpointTest.Tally;
import io.millrace.dataplane.CheckpointTest.Tallying;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.graph.JobGraph;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.CheckpointRequest.Barriers;
import io.millrace.task.checkpoint.StateAssignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The event time of operators that start with the state of several subtasks, of which some were
 * ahead: barriers overtake records, and the records of one key are slow.
 */
@Tag("slow")
class RestoredEventTimeTest {
  private static final int EVENTS = 300;
  private static final int ATTEMPTS = 4;
  private static final int BEHIND = 40;
  private static final int MAX_PARALLELISM = 4;

  @TempDir Path directory;
  private int directories;

  /** A program whose windows or timers take records through a function. */
  interface TimedProgram {
    DataStream<String> of(
        StreamEnvironment env, DataStream<Event> events, MapFunction<Event, Event> function);
  }

  /** Tallies what passes a function. */
  private record Slow(MapFunction<Event, Event> function, Tallying tallying)
      implements AggregateFunction<Event, Tally, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public Tally create() {
      return tallying.create();
    }

    @Override
    public Tally add(Tally tally, Event event) throws Exception {
      return tallying.add(tally, function.map(event));
    }

    @Override
    public String result(Tally tally) {
      return tallying.result(tally);
    }

    @Override
    public Tally merge(Tally left, Tally right) {
      return tallying.merge(left, right);
    }
  }

  /** Has one timer for each key and 50 ms of event time, and drops late events. */
  private static final class Buckets extends KeyedProcessFunction<Object, Event, String> {
    private static final long serialVersionUID = 1L;
    private final MapFunction<Event, Event> function;

    Buckets(MapFunction<Event, Event> function) {
      this.function = function;
    }

    @Override
    public void process(Event event, Context<Object> context, Collector<String> out)
        throws Exception {
      function.map(event);
      long last = Math.floorDiv(event.time(), 50) * 50 + 49;
      if (last > context.timerService().currentWatermark()) {
        context.timerService().registerEventTimeTimer(last);
      }
    }

    @Override
    public void onTimer(long time, OnTimerContext<Object> context, Collector<String> out) {
      assertThat(context.timerService().currentWatermark()).isGreaterThanOrEqualTo(time);
      out.emit(context.currentKey() + " " + time);
    }
  }

  private static TimedProgram windows(WindowAssigner assigner, int lateness) {
    return (env, events, function) ->
        events
            .keyBy(Event::key)
            .window(assigner)
            .allowedLateness(Duration.ofMillis(lateness))
            .aggregate(new Slow(function, new Tallying()), new CheckpointTest.Window());
  }

  /** Programs of which no window fires twice, however late an event is. */
  private static Map<String, TimedProgram> withoutLateness() {
    Map<String, TimedProgram> programs = new LinkedHashMap<>();
    programs.put("tumbling", windows(new WindowAssigner.Aligned(50, 50, 3, true), 0));
    programs.put("sliding", windows(new WindowAssigner.Aligned(300, 70, 5, true), 0));
    programs.put("sliding in step", windows(new WindowAssigner.Aligned(200, 20, 0, true), 0));
    programs.put(
        "timers",
        (env, events, function) -> events.keyBy(Event::key).process(new Buckets(function)));
    return programs;
  }

  private static Map<String, TimedProgram> all() {
    Map<String, TimedProgram> programs = withoutLateness();
    programs.put("sessions", windows(new WindowAssigner.Session(20, true), 0));
    programs.put(
        "tumbling with lateness", windows(new WindowAssigner.Aligned(60, 60, 0, true), 90));
    programs.put(
        "sliding with lateness", windows(new WindowAssigner.Aligned(200, 50, 0, true), 90));
    programs.put("sessions with lateness", windows(new WindowAssigner.Session(15, true), 90));
    return programs;
  }

  private static Stream<DynamicTest> tests(Map<String, TimedProgram> programs, Check check) {
    return programs.entrySet().stream()
        .flatMap(
            entry ->
                Stream.of(StateBackendOptions.HASHMAP, "rocksdb")
                    .map(
                        backend ->
                            DynamicTest.dynamicTest(
                                entry.getKey() + " in " + backend,
                                () -> {
                                  for (long seed = 1; seed <= 2; seed++) {
                                    check.of(seed, entry.getValue(), backend);
                                  }
                                })));
  }

  private interface Check {
    void of(long seed, TimedProgram program, String backend) throws Exception;
  }

  @TestFactory
  @Behaviour("H4: a window that has fired does not fire again with another parallelism")
  Stream<DynamicTest> jobsWithAnotherParallelismHaveTheResultsOfAnUndisturbedRun() {
    return tests(
        all(),
        (seed, program, backend) ->
            assertThat(rescaled(seed, program, backend, BEHIND))
                .as("seed %s", seed)
                .isEqualTo(undisturbed(seed, program)));
  }

  @TestFactory
  @Behaviour("H4: a window that has fired does not fire again with another parallelism")
  Stream<DynamicTest> lateEventsLetNothingFireTwice() {
    return tests(
        withoutLateness(),
        (seed, program, backend) -> {
          List<String> fired =
              rescaled(seed, program, backend, 3 * BEHIND).stream()
                  .map(result -> result.replaceAll(" \\d+ of .*", ""))
                  .toList();
          assertThat(fired).as("seed %s", seed).isNotEmpty().doesNotHaveDuplicates();
        });
  }

  private static JobGraph graph(
      Replay replay, TimedProgram program, MapFunction<Event, Event> function, int parallelism) {
    return CheckpointTest.graph(
        replay,
        (env, events) -> program.of(env, events, function),
        parallelism,
        RandomEvents.closelyWithin(BEHIND));
  }

  private static List<String> undisturbed(long seed, TimedProgram program) {
    Replay replay = new Replay(seed, EVENTS, BEHIND);
    replay.allowAll();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.start(graph(replay, program, event -> event, 2), host).awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
    return replay.results();
  }

  /**
   * Runs a job in several attempts of different parallelisms, each from an unaligned checkpoint.
   *
   * @param disorder of events; more than {@link #BEHIND} makes some of them late
   */
  private List<String> rescaled(long seed, TimedProgram program, String backend, int disorder)
      throws IOException {
    Random random = new Random(seed);
    Replay replay = new Replay(seed, EVENTS, disorder);
    Brake brake = new Brake();
    MapFunction<Event, Event> slow = brake.function();
    MapFunction<Event, Event> function = event -> isSlow(event) ? slow.map(event) : event;
    List<StateAssignment> restored = List.of();
    int parallelism = MAX_PARALLELISM;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
        JobGraph graph = graph(replay, program, function, parallelism);
        TestRun run =
            TestRun.of(
                graph.withConfiguration(
                    graph
                        .configuration()
                        .with(StateBackendOptions.TYPE, backend)
                        .with(CheckpointingOptions.INCREMENTAL, random.nextBoolean())),
                host);
        restored.forEach(run::restoring);
        brake.close();
        run.deploy(1, subtask -> 0).awaitRunning();
        if (attempt == ATTEMPTS) {
          replay.allowAll();
          brake.open();
          run.awaitEnd();
        } else {
          int before = replay.eventsRead();
          brake.permit(random.nextInt(40));
          replay.allow(EVENTS * attempt / ATTEMPTS);
          run.await(
              "some events are read",
              () -> {
                // Sources wait while the channels are full.
                brake.permit(1);
                return replay.eventsRead() > before;
              });
          CheckpointRequest request = request(attempt);
          long number = attempt;
          run.trigger(request);
          run.await(
              "checkpoint " + number + " " + run.snapshotFailures(number),
              () -> {
                // A task takes its snapshot between two records.
                brake.permit(1);
                return run.isStored(number);
              });
          restored = List.of(run.assignment(request));
        }
        assertThat(run.failures()).as("seed %s", seed).isEmpty();
        assertThat(run.violations()).as("seed %s", seed).isEmpty();
      }
      parallelism = 1 + (parallelism + random.nextInt(MAX_PARALLELISM - 1)) % MAX_PARALLELISM;
    }
    return replay.results();
  }

  /** Few keys, so that some subtasks have none of them. */
  private static boolean isSlow(Event event) {
    return event.key().toString().endsWith("3");
  }

  private CheckpointRequest request(long checkpoint) throws IOException {
    return new CheckpointRequest(
        checkpoint,
        System.currentTimeMillis(),
        CheckpointRequest.Type.CHECKPOINT,
        new Barriers(true, Duration.ZERO),
        Files.createDirectories(directory.resolve("chk-" + directories++)).toString(),
        directory.toString(),
        100);
  }
}
