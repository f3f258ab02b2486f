package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.ReduceFunction;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.UnusableStateException;
import io.millrace.task.store.StateBackends;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints of state in RocksDB. */
class RocksDbCheckpointTest {
  private static final int EVENTS = 400;
  private static final int DISORDER = 60;

  @TempDir Path directory;

  private static CheckpointTest.Program program() {
    return (env, events) ->
        events
            .map(event -> new Sum(event.key().toString(), 1))
            .keyBy(Sum::key)
            .reduce((ReduceFunction<Sum>) (a, b) -> new Sum(a.key(), a.count() + b.count()))
            .map(Sum::toString);
  }

  record Sum(String key, long count) {}

  private static JobGraph graph(
      Replay replay, int parallelism, String backend, boolean incremental) {
    JobGraph graph = CheckpointTest.graph(replay, program(), parallelism);
    return graph.withConfiguration(
        graph
            .configuration()
            .with(StateBackendOptions.TYPE, backend)
            .with(CheckpointingOptions.INCREMENTAL, incremental));
  }

  private CheckpointRequest request(long checkpoint, CheckpointRequest.Type type)
      throws IOException {
    return new CheckpointRequest(
        checkpoint,
        System.currentTimeMillis(),
        type,
        CheckpointRequest.Barriers.ALIGNED,
        Files.createDirectories(directory.resolve("chk-" + checkpoint)).toString(),
        Files.createDirectories(directory.resolve("shared")).toString(),
        100);
  }

  /** One run of a job. */
  private record Attempt(int parallelism, String backend, boolean incremental) {}

  /** Runs the attempts one after the other, each from the last checkpoint of the one before. */
  private List<String> results(CheckpointRequest.Type type, List<Attempt> attempts)
      throws IOException {
    Replay replay = new Replay(1, EVENTS, DISORDER);
    Optional<StateAssignment> restored = Optional.empty();
    for (int i = 0; i < attempts.size(); i++) {
      Attempt attempt = attempts.get(i);
      try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
        TestRun run =
            TestRun.of(
                graph(replay, attempt.parallelism(), attempt.backend(), attempt.incremental()),
                host);
        restored.ifPresent(run::restoring);
        run.deploy(1, subtask -> 0);
        if (i == attempts.size() - 1) {
          replay.allowAll();
          run.awaitEnd();
        } else {
          run.awaitRunning();
          int before = replay.eventsRead();
          replay.allow(EVENTS * (i + 1) / (attempts.size() + 1));
          run.await("some events are read", () -> replay.eventsRead() > before);
          CheckpointRequest request = request(i + 1, type);
          run.trigger(request);
          run.awaitStored(i + 1);
          run.complete(i + 1);
          restored = Optional.of(run.assignment(request));
        }
        assertThat(run.failures()).isEmpty();
      }
    }
    return replay.results();
  }

  private static List<String> undisturbed() {
    Replay replay = new Replay(1, EVENTS, DISORDER);
    replay.allowAll();
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.start(graph(replay, 2, "hashmap", false), host).awaitEnd();
      assertThat(run.failures()).isEmpty();
    }
    return replay.results();
  }

  @Test
  @Behaviour("H4: a savepoint does not depend on the state backend")
  void stateGoesFromTheHeapToRocksDbAndBack() throws IOException {
    assertThat(
            results(
                CheckpointRequest.Type.SAVEPOINT,
                List.of(
                    new Attempt(2, "hashmap", false),
                    new Attempt(3, "rocksdb", true),
                    new Attempt(2, "hashmap", false))))
        .isEqualTo(undisturbed());
  }

  @Test
  @Behaviour("H4: incremental checkpoints are restored with the same and with another parallelism")
  void incrementalCheckpointsAreRestoredWithAnyParallelism() throws IOException {
    List<Attempt> attempts = new ArrayList<>();
    for (int parallelism : new int[] {3, 3, 1, 4, 2}) {
      attempts.add(new Attempt(parallelism, "rocksdb", true));
    }
    assertThat(results(CheckpointRequest.Type.CHECKPOINT, attempts)).isEqualTo(undisturbed());
  }

  private static Set<String> sharedFiles(StateAssignment state) {
    return state.metadata().sharedFiles();
  }

  @Test
  @Behaviour("H4: an incremental checkpoint stores only the files that changed")
  void aSecondCheckpointRefersToTheFilesOfTheFirst() throws IOException {
    Replay replay = new Replay(1, EVENTS, DISORDER);
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.of(graph(replay, 1, "rocksdb", true), host);
      run.deploy(1, subtask -> 0).awaitRunning();
      replay.allow(EVENTS / 4);
      run.await("some events are read", () -> replay.eventsRead() > 0);
      CheckpointRequest first = request(1, CheckpointRequest.Type.CHECKPOINT);
      run.trigger(first);
      run.awaitStored(1);
      Set<String> before = sharedFiles(run.assignment(first));
      run.complete(1);
      int read = replay.eventsRead();
      replay.allow(EVENTS / 2);
      run.await("more events are read", () -> replay.eventsRead() > read);
      CheckpointRequest second = request(2, CheckpointRequest.Type.CHECKPOINT);
      run.trigger(second);
      run.awaitStored(2);
      Set<String> after = sharedFiles(run.assignment(second));
      assertThat(before).isNotEmpty();
      assertThat(after).containsAll(before);
      // Not told that the second one is complete, the third one must not refer to its files.
      CheckpointRequest third = request(3, CheckpointRequest.Type.CHECKPOINT);
      run.trigger(third);
      run.awaitStored(3);
      Set<String> unconfirmed = new LinkedHashSet<>(after);
      unconfirmed.removeAll(before);
      assertThat(unconfirmed).isNotEmpty();
      assertThat(sharedFiles(run.assignment(third))).doesNotContainAnyElementsOf(unconfirmed);
      for (String file : after) {
        assertThat(directory.resolve("shared").resolve(file)).exists();
      }
    }
  }

  private interface Damage {
    void apply(Path file) throws IOException;
  }

  private static void changeByte(Path file) throws IOException {
    byte[] content = Files.readAllBytes(file);
    content[content.length / 2] ^= 1;
    Files.write(file, content);
  }

  private static void truncate(Path file) throws IOException {
    byte[] content = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(content, content.length - 1));
  }

  @Test
  @Behaviour("H3: a damaged, truncated or missing state file is an error that names the file")
  void damagedSharedFilesAreNoticedWithTheirNames() throws IOException {
    Replay replay = new Replay(1, EVENTS, DISORDER);
    StateAssignment stored;
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.of(graph(replay, 1, "rocksdb", true), host);
      run.deploy(1, subtask -> 0).awaitRunning();
      replay.allow(EVENTS / 4);
      run.await("some events are read", () -> replay.eventsRead() > 0);
      CheckpointRequest request = request(1, CheckpointRequest.Type.CHECKPOINT);
      run.trigger(request);
      run.awaitStored(1);
      stored = run.assignment(request);
    }
    Path file = directory.resolve("shared").resolve(sharedFiles(stored).iterator().next());
    byte[] whole = Files.readAllBytes(file);
    // Without metadata the storage may not be mounted, so that the files may come back.
    Files.delete(file);
    assertThat(UnusableStateException.caused(failureWith(stored))).isFalse();
    Files.createFile(directory.resolve("chk-1/_metadata"));
    for (Damage damage :
        List.<Damage>of(
            RocksDbCheckpointTest::changeByte, RocksDbCheckpointTest::truncate, Files::delete)) {
      Files.write(file, whole);
      damage.apply(file);
      Failure failure = failureWith(stored);
      assertThat(failure.message()).contains("State file " + file);
      assertThat(UnusableStateException.caused(failure)).as(failure.message()).isTrue();
    }
  }

  private static Failure failureWith(StateAssignment state) {
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2))) {
      TestRun run = TestRun.of(graph(new Replay(1, EVENTS, DISORDER), 1, "rocksdb", true), host);
      run.restoring(state);
      run.deploy(1, subtask -> 0);
      run.await("a task fails", () -> !run.failures().isEmpty());
      return run.failures().get(0);
    }
  }

  @Test
  void localFilesAreDeletedWhenTheTaskEndsAndAtTheStart() throws IOException {
    Path local = Files.createDirectories(directory.resolve("local-state"));
    Files.writeString(local.resolve("left"), "by a killed process");
    Replay replay = new Replay(1, EVENTS, DISORDER);
    replay.allowAll();
    try (DataPlane host =
        new DataPlane(DataPlaneSettings.inProcess(2).with(StateBackends.withoutPlugins(), local))) {
      assertThat(local.resolve("left")).doesNotExist();
      TestRun run = TestRun.start(graph(replay, 2, "rocksdb", false), host).awaitEnd();
      assertThat(run.failures()).isEmpty();
      try (Stream<Path> left = Files.list(local)) {
        assertThat(left.filter(path -> path.getFileName().toString().startsWith("store-")))
            .isEmpty();
      }
    }
  }
}
