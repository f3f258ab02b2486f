package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.sink.CommitFailedException;
import io.millrace.api.sink.Committer;
import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.GlobalCommitter;
import io.millrace.api.sink.GlobalCommittingSink;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.StatefulSink;
import io.millrace.api.sink.StatefulSinkWriter;
import io.millrace.api.sink.TextFileSink;
import io.millrace.core.MemorySize;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.StateAssignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When the output of sinks becomes visible, and what they restore. A failure names its seed. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class SinkCheckpointTest {
  private static final Configuration CHECKPOINTING =
      Configuration.EMPTY.with(CheckpointingOptions.INTERVAL, "10 s");
  private static final int EVENTS = 300;

  @TempDir Path directory;

  private CheckpointRequest request(long checkpoint, CheckpointRequest.Type type) {
    try {
      return new CheckpointRequest(
          checkpoint,
          System.currentTimeMillis(),
          type,
          CheckpointRequest.Barriers.ALIGNED,
          Files.createDirectories(
                  directory
                      .resolve(Long.toHexString(System.nanoTime()))
                      .resolve("chk-" + checkpoint))
              .toString(),
          directory.toString(),
          100);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private CheckpointRequest request(long checkpoint) {
    return request(checkpoint, CheckpointRequest.Type.CHECKPOINT);
  }

  /** Writes the ids of all events; the sink has tasks of its own unless it is chained. */
  private static JobGraph graph(
      Configuration configuration,
      Replay replay,
      int parallelism,
      boolean chained,
      Sink<String> sink) {
    return ProgramGraphs.graph(
        configuration,
        env -> {
          env.parallelism(parallelism).maxParallelism(16);
          var events = env.fromSource(replay.source(), RandomEvents.within(40), "events");
          (chained ? events : events.rebalance())
              .map(event -> String.valueOf(event.id()))
              .sinkTo(sink);
        });
  }

  private static TestRun start(
      JobGraph graph, List<StateAssignment> restored, List<DataPlane> hosts) {
    TestRun run = TestRun.of(graph, hosts.toArray(new DataPlane[0]));
    restored.forEach(run::restoring);
    return run.deploy(1, subtask -> subtask % hosts.size());
  }

  // --- exactly once

  /** What a JobMaster does with a job: it takes checkpoints until the job is killed or ends. */
  private final class Killer {
    private final Random random;
    private final long seed;
    private final Replay replay;
    private final Path output;
    private List<StateAssignment> restored = List.of();
    private long checkpoint;
    private int allowed;

    Killer(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.replay = new Replay(seed, EVENTS, 40);
      this.output = directory.resolve("out-" + seed);
    }

    List<String> run() throws IOException {
      run(textFiles());
      return committed(output);
    }

    TextFileSink<String> textFiles() {
      TextFileSink<String> sink = TextFileSink.to(output.toString());
      return random.nextBoolean() ? sink.rollAt(new MemorySize(1 + random.nextInt(200))) : sink;
    }

    /** Returns when the job has ended, after some attempts. */
    void run(Sink<String> sink) {
      boolean chained = random.nextInt(3) == 0;
      for (int attempt = 0; ; attempt++) {
        List<DataPlane> hosts = CheckpointTest.hosts(1 + random.nextInt(2));
        try {
          TestRun run =
              start(
                  graph(CHECKPOINTING, replay, 1 + random.nextInt(4), chained, sink),
                  restored,
                  hosts);
          pause(run);
          boolean ended = attempt < 6 ? untilKilled(run) : untilEnd(run, Integer.MAX_VALUE);
          assertThat(run.failures()).as("seed %s", seed).isEmpty();
          assertThat(run.violations()).as("seed %s", seed).isEmpty();
          if (ended) {
            return;
          }
        } finally {
          hosts.forEach(DataPlane::close);
        }
      }
    }

    /** Some microseconds or milliseconds, in which tasks run. */
    private void pause(TestRun run) {
      long until = System.nanoTime() + random.nextInt(random.nextBoolean() ? 100_000 : 10_000_000);
      run.await("a while", () -> System.nanoTime() >= until);
    }

    private boolean untilKilled(TestRun run) {
      int checkpoints = random.nextInt(4);
      if (random.nextInt(3) == 0) {
        return untilEnd(run, checkpoints);
      }
      for (int i = 0; i < checkpoints; i++) {
        allowed = Math.min(EVENTS - 1, allowed + random.nextInt(30));
        replay.allow(allowed);
        checkpoint(run);
      }
      pause(run);
      return false;
    }

    private boolean untilEnd(TestRun run, int checkpoints) {
      allowed = EVENTS;
      replay.allowAll();
      long deadline = System.nanoTime() + TestRun.PATIENCE.toNanos();
      for (int i = 0; i < checkpoints && !hasEnded(run); i++) {
        checkpoint(run);
        assertThat(System.nanoTime() < deadline)
            .as("seed %s has ended; %s", seed, run.snapshotFailures(checkpoint))
            .isTrue();
      }
      return hasEnded(run);
    }

    private static boolean hasEnded(TestRun run) {
      return run.states().values().stream().allMatch(TaskState::isTerminal);
    }

    private void checkpoint(TestRun run) {
      long number = ++checkpoint;
      CheckpointRequest request = request(number);
      pause(run);
      run.trigger(request, vertex -> startsAt(run, vertex));
      long deadline = System.nanoTime() + 200_000_000;
      boolean[] stored = new boolean[1];
      run.await(
          "stored or failed",
          () -> {
            stored[0] = run.isStored(number);
            return stored[0]
                || !run.snapshotFailures(number).isEmpty()
                || System.nanoTime() > deadline;
          });
      if (!stored[0] || !run.snapshotFailures(number).isEmpty() || random.nextInt(6) == 0) {
        run.abort(number);
        return;
      }
      restored = List.of(run.assignment(request));
      // The notification may be lost with the process that should have sent it.
      if (random.nextInt(4) > 0) {
        run.complete(number);
      }
    }
  }

  private static boolean startsAt(TestRun run, JobVertex vertex) {
    return run.producersOf(vertex).stream()
        .allMatch(execution -> run.states().get(execution).isTerminal());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  @Behaviour("H4: a text file sink has each record in one part, whatever fails")
  void eachRecordIsInOnePartWhateverIsKilled(long seed) throws Exception {
    assertThat(new Killer(seed).run())
        .as("seed %s", seed)
        .containsExactlyInAnyOrderElementsOf(ids(EVENTS));
  }

  /** Results that one committer gets from all writers, as the parts that they had prepared. */
  private static final class Committed {
    final String name = Fixtures.share(this);
    final Map<String, List<String>> results = new ConcurrentHashMap<>();
    final Map<String, List<String>> local = new ConcurrentHashMap<>();
    final List<String> problems = new CopyOnWriteArrayList<>();
    final AtomicInteger ends = new AtomicInteger();
    final AtomicInteger failures = new AtomicInteger();

    List<String> all() {
      return results.values().stream().flatMap(List::stream).toList();
    }
  }

  record Prepared(String id, List<String> results) {}

  private static final class PreparingWriter implements CommittingSinkWriter<String, Prepared> {
    private List<String> pending = new ArrayList<>();

    @Override
    public void write(String record) {
      pending.add(record);
    }

    @Override
    public List<Prepared> prepareCommit() {
      List<String> results = pending;
      pending = new ArrayList<>();
      return results.isEmpty()
          ? List.of()
          : List.of(new Prepared(UUID.randomUUID().toString(), results));
    }
  }

  private record OnlyGlobal(String committed) implements GlobalCommittingSink<String, Prepared> {
    private static final long serialVersionUID = 1L;

    @Override
    public CommittingSinkWriter<String, Prepared> createWriter(SinkContext context) {
      return new PreparingWriter();
    }

    @Override
    public GlobalCommitter<Prepared> createGlobalCommitter(SinkContext context) {
      return new Committing(Fixtures.shared(committed, Committed.class), false);
    }
  }

  private record LocalAndGlobal(String committed)
      implements CommittingSink<String, Prepared>, GlobalCommittingSink<String, Prepared> {
    private static final long serialVersionUID = 1L;

    @Override
    public CommittingSinkWriter<String, Prepared> createWriter(SinkContext context) {
      return new PreparingWriter();
    }

    @Override
    public Committer<Prepared> createCommitter(SinkContext context) {
      Committed shared = Fixtures.shared(committed, Committed.class);
      return prepared -> prepared.forEach(each -> shared.local.put(each.id(), each.results()));
    }

    @Override
    public GlobalCommitter<Prepared> createGlobalCommitter(SinkContext context) {
      return new Committing(Fixtures.shared(committed, Committed.class), true);
    }
  }

  /** Fails now and then; what it commits again is the same. */
  private record Committing(Committed shared, boolean second) implements GlobalCommitter<Prepared> {
    @Override
    public void commit(List<Prepared> prepared) throws IOException {
      if (shared.failures.incrementAndGet() % 3 == 0) {
        throw new IOException("not now");
      }
      for (Prepared each : prepared) {
        if (second && !shared.local.containsKey(each.id())) {
          shared.problems.add("committed globally first: " + each.id());
        }
        shared.results.put(each.id(), each.results());
      }
    }

    @Override
    public void endOfInput() {
      shared.ends.incrementAndGet();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  @Behaviour("H4: a global committer commits the output of all subtasks once, whatever fails")
  void aGlobalCommitterCommitsEachRecordOnce(long seed) {
    Committed committed = new Committed();
    new Killer(seed)
        .run(seed % 2 == 0 ? new OnlyGlobal(committed.name) : new LocalAndGlobal(committed.name));
    assertThat(committed.problems).as("seed %s", seed).isEmpty();
    assertThat(committed.all())
        .as("seed %s", seed)
        .containsExactlyInAnyOrderElementsOf(ids(EVENTS));
    assertThat(committed.ends.get()).as("seed %s", seed).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  @Behaviour("H4: a marker says that all output of a text file sink is committed")
  void aMarkerIsThereWhenAllPartsAre(long seed) throws IOException {
    Killer killer = new Killer(seed);
    killer.run(killer.textFiles().withSuccessMarker());
    assertThat(killer.output.resolve("_SUCCESS")).exists();
    assertThat(committed(killer.output)).containsExactlyInAnyOrderElementsOf(ids(EVENTS));
  }

  @Test
  void aGlobalCommitterWithoutCheckpointsCommitsAtTheEnd() {
    Committed committed = new Committed();
    Replay replay = new Replay(1, EVENTS, 0);
    replay.allowAll();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.start(
                  graph(Configuration.EMPTY, replay, 3, false, new OnlyGlobal(committed.name)),
                  host)
              .awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
    assertThat(committed.all()).containsExactlyInAnyOrderElementsOf(ids(EVENTS));
    assertThat(committed.ends.get()).isOne();
  }

  private static boolean isLeftAwaiting(TestRun run) {
    return run.graph().vertices().stream()
        .filter(vertex -> startsAt(run, vertex))
        .flatMap(vertex -> run.executionsOf(vertex).stream())
        .filter(execution -> !run.states().get(execution).isTerminal())
        .allMatch(execution -> run.awaiting().containsKey(execution));
  }

  @Test
  void tasksWhoseInputHasEndedReportThatTheyAwaitACheckpoint() {
    Committed committed = new Committed();
    Replay replay = new Replay(1, EVENTS, 0);
    replay.allowAll();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.start(
              graph(CHECKPOINTING, replay, 2, false, new LocalAndGlobal(committed.name)), host);
      // One for the committers of the writers, one for the global committer behind them.
      for (long checkpoint = 1; checkpoint <= 2; checkpoint++) {
        long number = checkpoint;
        run.await("all that is left awaits a checkpoint", () -> isLeftAwaiting(run));
        Set<ExecutionId> awaiting = run.awaiting().keySet();
        run.trigger(request(number), vertex -> startsAt(run, vertex));
        run.await(
            "stored",
            () ->
                run.states().entrySet().stream()
                    .allMatch(
                        task ->
                            task.getValue().isTerminal()
                                || run.snapshots(number).containsKey(task.getKey())));
        run.complete(number);
        run.await(
            "the tasks finish that awaited it",
            () ->
                awaiting.stream().allMatch(execution -> run.states().get(execution).isTerminal()));
      }
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
      // The global committer reports again if it hears that the first is complete after its input
      // has ended, because it awaits the second.
      List<JobVertex> vertices = run.graph().vertices();
      List<ExecutionId> global = run.executionsOf(vertices.get(vertices.size() - 1));
      assertThat(global).hasSize(1);
      assertThat(run.awaiting())
          .hasSize(3)
          .allSatisfy(
              (task, times) -> assertThat(times).isBetween(1, global.contains(task) ? 2 : 1));
    }
    assertThat(committed.all()).containsExactlyInAnyOrderElementsOf(ids(EVENTS));
  }

  private record Refusing() implements GlobalCommittingSink<String, Prepared> {
    private static final long serialVersionUID = 1L;

    @Override
    public CommittingSinkWriter<String, Prepared> createWriter(SinkContext context) {
      return new PreparingWriter();
    }

    @Override
    public GlobalCommitter<Prepared> createGlobalCommitter(SinkContext context) {
      return prepared -> {
        throw new CommitFailedException("Table 'clicks' does not exist any more.");
      };
    }
  }

  @Test
  @Behaviour("H4: a job whose output can never be committed fails and does not restart")
  void whatCanNeverBeCommittedIsNamed() {
    Replay replay = new Replay(1, EVENTS, 0);
    replay.allowAll();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.start(graph(Configuration.EMPTY, replay, 2, false, new Refusing()), host)
              .awaitEnd();
      assertThat(run.failures()).hasSize(1);
      Failure failure = run.failures().get(0);
      assertThat(CommitFailedException.caused(failure)).isTrue();
      assertThat(failure.message())
          .contains("Operator 'Committer: Refusing'", "Table 'clicks' does not exist any more.");
    }
  }

  private static List<String> ids(int eventsPerSplit) {
    return IntStream.range(0, Replay.SPLITS)
        .boxed()
        .flatMap(split -> IntStream.range(0, eventsPerSplit).mapToObj(i -> split * EVENTS + i + ""))
        .toList();
  }

  private static List<String> committed(Path output) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(output)) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().startsWith("part-")) {
          lines.addAll(Files.readAllLines(file));
        }
      }
    }
    return lines;
  }

  // --- commits

  /** Shows each record when it is committed, and fails as often as it is told. */
  private static final class Recorder {
    final String name = Fixtures.share(this);
    final List<String> committed = new CopyOnWriteArrayList<>();
    final List<List<String>> restored = new CopyOnWriteArrayList<>();
    volatile int failures;
    volatile int calls;

    private synchronized void commit(List<String> records) throws IOException {
      calls++;
      if (failures > 0) {
        failures--;
        throw new IOException("no connection");
      }
      committed.addAll(records);
    }
  }

  private record RecordingSink(String recorder) implements CommittingSink<String, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public CommittingSinkWriter<String, String> createWriter(SinkContext context) {
      return new RecordingWriter();
    }

    @Override
    public Committer<String> createCommitter(SinkContext context) {
      return Fixtures.shared(recorder, Recorder.class)::commit;
    }
  }

  private static final class RecordingWriter implements CommittingSinkWriter<String, String> {
    private final List<String> written = new ArrayList<>();
    private final List<String> flushed = new ArrayList<>();

    @Override
    public void write(String record) {
      written.add(record);
    }

    @Override
    public void flush(boolean endOfInput) {
      flushed.addAll(written);
      written.clear();
    }

    @Override
    public List<String> prepareCommit() {
      List<String> prepared = List.copyOf(flushed);
      flushed.clear();
      return prepared;
    }
  }

  private final Recorder recorder = new Recorder();
  private final Replay replay = new Replay(1, EVENTS, 40);

  private TestRun start(
      Configuration configuration, List<StateAssignment> restored, DataPlane host) {
    return start(
        graph(configuration, replay, 2, true, new RecordingSink(recorder.name)),
        restored,
        List.of(host));
  }

  private static DataPlane host() {
    return new DataPlane(DataPlaneSettings.inProcess(2));
  }

  private void awaitCommitted(TestRun run, int eventsPerSplit) {
    run.await("committed", () -> recorder.committed.size() >= eventsPerSplit * Replay.SPLITS);
    assertThat(recorder.committed).containsExactlyInAnyOrderElementsOf(ids(eventsPerSplit));
  }

  /** Reads so many events of each split into a checkpoint, which is stored. */
  private CheckpointRequest store(TestRun run, int eventsPerSplit, CheckpointRequest request) {
    run.awaitRunning();
    replay.allow(eventsPerSplit);
    run.await("read", () -> replay.emitted() >= eventsPerSplit * Replay.SPLITS);
    run.trigger(request);
    run.awaitStored(request.checkpoint());
    return request;
  }

  @Test
  @Behaviour("H4: the output of a sink is committed with the checkpoint that contains it")
  void outputIsCommittedWhenItsCheckpointIsComplete() {
    try (DataPlane host = host()) {
      TestRun run = start(CHECKPOINTING, List.of(), host);
      store(run, 10, request(1));
      assertThat(recorder.committed).isEmpty();
      run.complete(1);
      awaitCommitted(run, 10);
      assertThat(run.failures()).isEmpty();
    }
  }

  @Test
  @Behaviour("H4: the output of a sink is committed with the checkpoint that contains it")
  void outputOfAnAbortedCheckpointIsCommittedWithTheNext() {
    try (DataPlane host = host()) {
      TestRun run = start(CHECKPOINTING, List.of(), host);
      store(run, 10, request(1));
      run.abort(1);
      CheckpointRequest second = store(run, 20, request(2));
      assertThat(recorder.committed).isEmpty();
      run.complete(2);
      awaitCommitted(run, 20);
      // The second checkpoint has the committables of both.
      recorder.committed.clear();
      run.cancel();
      run.awaitEnd();
      TestRun restored = start(CHECKPOINTING, List.of(run.assignment(second)), host);
      awaitCommitted(restored, 20);
    }
  }

  @Test
  @Behaviour("H4: the output of a sink is committed with the checkpoint that contains it")
  void restoredOutputIsCommittedBeforeTheFirstRecord() {
    try (DataPlane host = host()) {
      TestRun run = start(CHECKPOINTING, List.of(), host);
      CheckpointRequest first = store(run, 10, request(1));
      run.cancel();
      run.awaitEnd();
      assertThat(recorder.committed).isEmpty();
      TestRun restored = start(CHECKPOINTING, List.of(run.assignment(first)), host).awaitRunning();
      awaitCommitted(restored, 10);
    }
  }

  @Test
  @Behaviour("H4: a job with checkpoints ends with one more checkpoint, which commits the rest")
  void endOfInputWaitsForACheckpoint() {
    try (DataPlane host = host()) {
      TestRun run = start(CHECKPOINTING, List.of(), host);
      store(run, EVENTS, request(1));
      run.abort(1);
      store(run, EVENTS, request(2));
      assertThat(run.count(TaskState.FINISHED)).isZero();
      assertThat(recorder.committed).isEmpty();
      run.complete(2);
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
      assertThat(run.count(TaskState.FINISHED)).isEqualTo(2);
      awaitCommitted(run, EVENTS);
    }
  }

  @Test
  void outputIsCommittedAtTheEndOfInputWithoutCheckpoints() {
    try (DataPlane host = host()) {
      replay.allowAll();
      TestRun run = start(Configuration.EMPTY, List.of(), host).awaitEnd();
      assertThat(run.failures()).isEmpty();
      awaitCommitted(run, EVENTS);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = CheckpointRequest.Type.class,
      names = {"SAVEPOINT_SUSPEND", "SAVEPOINT_DRAIN"})
  @Behaviour("H4: a job that stops with a savepoint commits what the savepoint contains")
  void stopWithSavepointCommits(CheckpointRequest.Type type) {
    for (Configuration configuration : List.of(CHECKPOINTING, Configuration.EMPTY)) {
      Recorder own = new Recorder();
      Replay events = new Replay(1, EVENTS, 40);
      try (DataPlane host = host()) {
        TestRun run =
            start(
                graph(configuration, events, 2, false, new RecordingSink(own.name)),
                List.of(),
                List.of(host));
        run.awaitRunning();
        events.allow(10);
        run.await("read", () -> events.emitted() >= 10 * Replay.SPLITS);
        run.trigger(request(1, type));
        run.awaitStored(1);
        assertThat(own.committed).isEmpty();
        events.allowAll();
        run.complete(1);
        run.awaitEnd();
        assertThat(run.failures()).isEmpty();
        assertThat(own.committed).containsExactlyInAnyOrderElementsOf(ids(10));
      }
    }
  }

  @Test
  @Behaviour("H4: a commit is retried, then fails the task, whose restart commits again")
  void aCommitIsRetried() {
    recorder.failures = 2;
    try (DataPlane host = host()) {
      TestRun run =
          start(
              graph(CHECKPOINTING, replay, 1, true, new RecordingSink(recorder.name)),
              List.of(),
              List.of(host));
      store(run, 10, request(1));
      run.complete(1);
      awaitCommitted(run, 10);
      assertThat(run.failures()).isEmpty();
      assertThat(recorder.calls).isEqualTo(3);
    }
  }

  @Test
  @Behaviour("H4: a commit is retried, then fails the task, whose restart commits again")
  void aCommitThatFailsAgainAndAgainFailsTheTaskAndItsRestartCommits() {
    recorder.failures = 3;
    try (DataPlane host = host()) {
      JobGraph graph = graph(CHECKPOINTING, replay, 1, true, new RecordingSink(recorder.name));
      TestRun run = start(graph, List.of(), List.of(host));
      CheckpointRequest first = store(run, 10, request(1));
      run.complete(1);
      run.awaitEnd();
      assertThat(run.failures())
          .singleElement()
          .satisfies(
              failure ->
                  assertThat(failure.message())
                      .contains("Sink: RecordingSink", "IOException: no connection"));
      assertThat(recorder.committed).isEmpty();
      TestRun restored = start(graph, List.of(run.assignment(first)), List.of(host)).awaitRunning();
      awaitCommitted(restored, 10);
    }
  }

  // --- state

  private record CountingSink(String recorder, Redistribution redistribution)
      implements StatefulSink<String, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public StatefulSinkWriter<String, String> createWriter(SinkContext context) {
      return new CountingWriter("writer " + context.subtask());
    }

    @Override
    public StatefulSinkWriter<String, String> restoreWriter(
        SinkContext context, List<String> state) {
      Fixtures.shared(recorder, Recorder.class).restored.add(List.copyOf(state));
      return createWriter(context);
    }
  }

  private record CountingWriter(String name) implements StatefulSinkWriter<String, String> {
    @Override
    public void write(String record) {}

    @Override
    public List<String> snapshot(long checkpoint) {
      return List.of(name + " at " + checkpoint);
    }
  }

  @ParameterizedTest
  @EnumSource(StatefulSink.Redistribution.class)
  void stateOfWritersIsRedistributed(StatefulSink.Redistribution redistribution) {
    Sink<String> sink = new CountingSink(recorder.name, redistribution);
    try (DataPlane host = host()) {
      TestRun run = start(graph(CHECKPOINTING, replay, 3, true, sink), List.of(), List.of(host));
      CheckpointRequest first = store(run, 10, request(1));
      assertThat(recorder.restored).isEmpty();
      run.cancel();
      run.awaitEnd();
      start(
              graph(CHECKPOINTING, replay, 2, true, sink),
              List.of(run.assignment(first)),
              List.of(host))
          .awaitRunning();
    }
    List<String> all = List.of("writer 0 at 1", "writer 1 at 1", "writer 2 at 1");
    if (redistribution == StatefulSink.Redistribution.UNION) {
      assertThat(recorder.restored).containsExactly(all, all);
    } else {
      assertThat(recorder.restored)
          .hasSize(2)
          .allSatisfy(state -> assertThat(state).hasSizeBetween(1, 2));
      assertThat(recorder.restored.stream().flatMap(List::stream))
          .containsExactlyInAnyOrderElementsOf(all);
    }
  }
}
