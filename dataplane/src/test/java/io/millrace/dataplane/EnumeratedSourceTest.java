package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.Collector;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.TaskSplits;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.StateAssignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources whose splits are found and assigned while the job runs. A failure names its seed. */
class EnumeratedSourceTest {
  private static final int RECORDS_PER_SPLIT = 20;

  @TempDir Path directory;

  /** The numbers from {@code split * RECORDS_PER_SPLIT} on, {@code read} of which are emitted. */
  record Chunk(int split, int read) implements SourceSplit {
    @Override
    public String splitId() {
      return "chunk " + split;
    }
  }

  /** Splits that are found when the test says so, and records that are read when it says so. */
  private static final class Found {
    final String name = Fixtures.share(this);
    final int splits;
    final AtomicInteger emitted = new AtomicInteger();
    final Map<Integer, Integer> splitsOfReader = new ConcurrentHashMap<>();
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();
    private volatile int toFind;
    private volatile int toEmit;

    Found(int splits) {
      this.splits = splits;
    }

    void allow(int find, int emit) {
      toFind = Math.min(find, splits);
      toEmit = emit;
      wakes.forEach(Runnable::run);
    }

    void allowAll() {
      allow(splits, Integer.MAX_VALUE);
    }

    FoundSource source(EnumeratedSource.Assignment assignment) {
      return new FoundSource(name, assignment);
    }

    List<String> expected() {
      return IntStream.range(0, splits * RECORDS_PER_SPLIT)
          .mapToObj(String::valueOf)
          .sorted()
          .toList();
    }
  }

  private record FoundSource(String found, EnumeratedSource.Assignment assignment)
      implements EnumeratedSource<String, Chunk, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return true;
    }

    @Override
    public SplitEnumerator<Chunk, Integer> createEnumerator(EnumeratorContext context) {
      return restoreEnumerator(context, List.of(0));
    }

    @Override
    public SplitEnumerator<Chunk, Integer> restoreEnumerator(
        EnumeratorContext context, List<Integer> state) {
      return new Enumerator(Fixtures.shared(found, Found.class), context, state.get(0));
    }

    @Override
    public SourceReader<String, Chunk> createReader(SourceContext context) {
      return new Reader(Fixtures.shared(found, Found.class), context);
    }
  }

  private static final class Enumerator implements SplitEnumerator<Chunk, Integer> {
    private final Found found;
    private final Runnable wake;
    private int next;

    Enumerator(Found found, EnumeratorContext context, int next) {
      this.found = found;
      this.wake = context::wake;
      this.next = next;
      found.wakes.add(wake);
    }

    @Override
    public PollingReader.Status discover(Collector<Chunk> splits) {
      int end = found.toFind;
      while (next < end) {
        splits.emit(new Chunk(next++, 0));
      }
      return next == found.splits ? PollingReader.Status.END : PollingReader.Status.WAIT;
    }

    @Override
    public List<Integer> snapshot(long checkpoint) {
      return List.of(next);
    }

    @Override
    public void close() throws IOException {
      found.wakes.remove(wake);
    }
  }

  private static final class Reader implements SourceReader<String, Chunk> {
    private final Found found;
    private final SourceContext context;
    private final Runnable wake;
    private List<Chunk> own = new ArrayList<>();

    Reader(Found found, SourceContext context) {
      this.found = found;
      this.context = context;
      this.wake = context::wake;
      found.wakes.add(wake);
    }

    @Override
    public void addSplits(List<Chunk> splits) {
      own.addAll(splits);
      found.splitsOfReader.merge(context.subtask(), splits.size(), Integer::sum);
    }

    @Override
    public Status poll(SourceOutput<String> out, int limit) {
      for (int i = 0; i < limit && !own.isEmpty(); i++) {
        if (found.emitted.get() >= found.toEmit) {
          return Status.WAIT;
        }
        Chunk next = own.remove(0);
        found.emitted.incrementAndGet();
        if (next.read() + 1 < RECORDS_PER_SPLIT) {
          own.add(new Chunk(next.split(), next.read() + 1));
        }
        out.emit(String.valueOf(next.split() * RECORDS_PER_SPLIT + next.read()));
      }
      return own.isEmpty() ? Status.END : Status.MORE;
    }

    @Override
    public List<Chunk> snapshot(long checkpoint) {
      return List.copyOf(own);
    }

    @Override
    public void close() {
      found.wakes.remove(wake);
    }
  }

  private static JobGraph graph(FoundSource source, Replay output, int parallelism) {
    return ProgramGraphs.graph(
        env ->
            env.parallelism(parallelism)
                .maxParallelism(16)
                .fromSource(source, "found")
                .rebalance()
                .map(number -> number)
                .sinkTo(output.sink()));
  }

  private CheckpointRequest request(long checkpoint) throws IOException {
    return new CheckpointRequest(
        checkpoint,
        System.currentTimeMillis(),
        CheckpointRequest.Type.CHECKPOINT,
        CheckpointRequest.Barriers.ALIGNED,
        Files.createDirectories(directory.resolve(checkpoint + "-" + System.nanoTime())).toString(),
        directory.toString(),
        100);
  }

  @Test
  @Behaviour("H4: each split is read once, whenever a job is killed and with which parallelism")
  void eachRecordIsThereOnceAfterFailuresAndWithAnotherParallelism() throws IOException {
    for (EnumeratedSource.Assignment assignment : EnumeratedSource.Assignment.values()) {
      for (long seed = 1; seed <= 6; seed++) {
        killAndContinue(assignment, seed);
      }
    }
  }

  private void killAndContinue(EnumeratedSource.Assignment assignment, long seed)
      throws IOException {
    Random random = new Random(seed);
    Found found = new Found(30);
    Replay output = new Replay(seed, 1, 0);
    Optional<StateAssignment> restored = Optional.empty();
    int[] parallelisms = {2, 3, 1, 4, 4, 2};
    long checkpoint = 0;
    for (int attempt = 0; attempt < parallelisms.length; attempt++) {
      List<DataPlane> hosts = CheckpointTest.hosts(1 + random.nextInt(2));
      try {
        TestRun run =
            TestRun.of(
                graph(found.source(assignment), output, parallelisms[attempt]),
                hosts.toArray(new DataPlane[0]));
        restored.ifPresent(run::restoring);
        run.deploy(1, subtask -> subtask % hosts.size());
        if (attempt == parallelisms.length - 1) {
          found.allowAll();
          run.awaitEnd();
        } else {
          int before = found.emitted.get();
          found.allow(5 * attempt + random.nextInt(5) + 1, before + 10 + random.nextInt(60));
          run.awaitRunning();
          // Splits are assigned while the barriers flow.
          CheckpointRequest request = request(++checkpoint);
          run.trigger(request);
          run.awaitStored(checkpoint);
          restored = Optional.of(run.assignment(request));
          if (random.nextBoolean()) {
            run.complete(checkpoint);
          }
          found.allow(5 * attempt + 6, before + 90);
        }
        assertThat(run.failures()).as("%s, seed %s", assignment, seed).isEmpty();
        assertThat(run.violations()).as("%s, seed %s", assignment, seed).isEmpty();
      } finally {
        hosts.forEach(DataPlane::close);
      }
    }
    assertThat(output.results()).as("%s, seed %s", assignment, seed).isEqualTo(found.expected());
  }

  @Test
  @Behaviour("H4: a checkpoint is taken when all splits are assigned and their enumerator is done")
  void readersGoOnWithoutTheirEnumerator() throws IOException {
    for (int parallelism : new int[] {2, 3, 1}) {
      Found found = new Found(2);
      Replay output = new Replay(1, 1, 0);
      try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
        found.allow(2, 15);
        FoundSource source = found.source(EnumeratedSource.Assignment.ON_REQUEST);
        TestRun run = TestRun.start(graph(source, output, 2), host);
        run.await("the enumerator has finished", () -> run.count(TaskState.FINISHED) == 1);
        run.await("some records are read", () -> found.emitted.get() >= 15);
        CheckpointRequest request = request(1);
        run.trigger(request, EnumeratedSourceTest::isReader);
        run.awaitStored(1);
        StateAssignment state = run.assignment(request);
        run.cancel();
        run.awaitEnd();
        found.allowAll();
        TestRun next =
            TestRun.of(graph(source, output, parallelism), host)
                .restoring(state)
                .deploy(2, subtask -> 0)
                .awaitEnd();
        assertThat(next.failures()).isEmpty();
      }
      assertThat(output.results()).isEqualTo(found.expected());
    }
  }

  private static boolean isReader(JobVertex vertex) {
    return vertex.name().startsWith("Source: found");
  }

  @Test
  void countsAssignedAndPendingSplits() {
    Found found = new Found(5);
    Replay output = new Replay(1, 1, 0);
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      found.allow(5, 0);
      TestRun run =
          TestRun.start(
              graph(found.source(EnumeratedSource.Assignment.ON_REQUEST), output, 2), host);
      run.await(
          "each reader has one split and three are left",
          () ->
              splits(run, host)
                  .equals(
                      List.of(
                          new TaskSplits(false, 1, 1),
                          new TaskSplits(false, 1, 1),
                          new TaskSplits(true, 2, 3))));
      found.allowAll();
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
      List<TaskSplits> last = splits(run, host);
      assertThat(last).extracting(TaskSplits::pending).containsOnly(0L);
      assertThat(last.get(2)).isEqualTo(new TaskSplits(true, 5, 0));
      assertThat(last.get(0).assigned() + last.get(1).assigned()).isEqualTo(5);
    }
  }

  /** Those of the readers, then those of the enumerator. */
  private static List<TaskSplits> splits(TestRun run, DataPlane host) {
    return host.counters(run.graph().id()).stream()
        .flatMap(counters -> counters.splits().stream())
        .sorted(Comparator.comparing(TaskSplits::enumerator))
        .toList();
  }

  @Test
  void aReaderThatIsReadyGetsTheNextSplit() {
    Found found = new Found(40);
    Replay output = new Replay(1, 1, 0);
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      // Every reader holds one split and waits: no reader has two.
      found.allow(40, 0);
      TestRun run =
          TestRun.start(
              graph(found.source(EnumeratedSource.Assignment.ON_REQUEST), output, 4), host);
      run.await("all readers have a split", () -> found.splitsOfReader.size() == 4);
      assertThat(found.splitsOfReader).allSatisfy((reader, splits) -> assertThat(splits).isOne());
      found.allowAll();
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
    assertThat(found.splitsOfReader.values().stream().mapToInt(Integer::intValue).sum())
        .isEqualTo(40);
    assertThat(output.results()).isEqualTo(found.expected());
  }

  @Test
  void splitsThatDoNotEndAreSpreadEvenly() {
    Found found = new Found(12);
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      found.allow(5, 0);
      TestRun run =
          TestRun.start(
              graph(found.source(EnumeratedSource.Assignment.AT_ONCE), new Replay(1, 1, 0), 4),
              host);
      run.await("the first splits are assigned", () -> assignedOf(found) == 5);
      found.allow(12, 0);
      run.await("later splits are assigned", () -> assignedOf(found) == 12);
      assertThat(found.splitsOfReader.values()).containsOnly(3);
      run.cancel();
      run.awaitEnd();
    }
  }

  private static int assignedOf(Found found) {
    return found.splitsOfReader.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void aFailingEnumeratorFailsItsTask() {
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run =
          TestRun.start(
              ProgramGraphs.graph(
                  env ->
                      env.readText("/does/not/exist")
                          .sinkTo(new io.millrace.api.sink.DiscardSink<>())),
              host);
      run.await("a task fails", () -> !run.failures().isEmpty());
      assertThat(run.failures().get(0).message())
          .contains("Operator 'Enumerator: text'")
          .contains("Input '/does/not/exist' does not exist");
      run.cancel();
      run.awaitEnd();
    }
  }
}
