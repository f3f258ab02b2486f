package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.store.StateBackends;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that are restored from copies on the local disk. */
class LocalRecoveryTest {
  private static final int EVENTS = 300;
  private static final int DISORDER = 40;
  private static final CheckpointTest.Program PROGRAM =
      CheckpointTest.PROGRAMS.get("sliding in step");

  @TempDir Path directory;
  private Path local;
  private DataPlane host;
  private final Replay replay = new Replay(41, EVENTS, DISORDER);

  @BeforeEach
  void start() {
    local = directory.resolve("local-state");
    host =
        new DataPlane(DataPlaneSettings.inProcess(2).with(StateBackends.withoutPlugins(), local));
  }

  @AfterEach
  void close() {
    host.close();
    assertThat(local).doesNotExist();
  }

  private JobGraph graph(String backend, boolean fromLocal) {
    JobGraph graph = CheckpointTest.graph(replay, PROGRAM, 2);
    return graph.withConfiguration(
        graph
            .configuration()
            .with(StateBackendOptions.TYPE, backend)
            .with(CheckpointingOptions.INCREMENTAL, true)
            .with(StateRecoveryOptions.FROM_LOCAL, fromLocal));
  }

  private CheckpointRequest request(long checkpoint, CheckpointRequest.Type type) {
    try {
      return new CheckpointRequest(
          checkpoint,
          System.currentTimeMillis(),
          type,
          CheckpointRequest.Barriers.ALIGNED,
          Files.createDirectories(directory.resolve("chk-" + checkpoint)).toString(),
          Files.createDirectories(directory.resolve("shared")).toString(),
          0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private StateAssignment checkpoint(TestRun run, long number, CheckpointRequest.Type type) {
    int before = replay.eventsRead();
    replay.allow((int) (EVENTS / 4 * number));
    run.await("some events are read", () -> replay.eventsRead() > before);
    CheckpointRequest request = request(number, type);
    run.trigger(request);
    run.awaitStored(number);
    run.complete(number);
    return run.assignment(request);
  }

  private StateAssignment checkpoint(TestRun run, long number) {
    return checkpoint(run, number, CheckpointRequest.Type.CHECKPOINT);
  }

  private static void stop(TestRun run) {
    run.cancel();
    run.awaitEnd();
    assertThat(run.failures()).isEmpty();
  }

  private void restart(JobGraph graph, StateAssignment state) {
    replay.allowAll();
    TestRun run = TestRun.of(graph, host).restoring(state).deploy(2, subtask -> 0).awaitEnd();
    assertThat(run.failures()).isEmpty();
    assertThat(replay.results()).isEqualTo(CheckpointTest.undisturbed(41, PROGRAM, EVENTS, 2));
  }

  private List<Path> copies() {
    return filesIn(local).stream()
        .filter(file -> file.getParent().getFileName().toString().startsWith("copies-"))
        .toList();
  }

  private static List<Path> filesIn(Path parent) {
    if (!Files.exists(parent)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(parent)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    } catch (UncheckedIOException e) {
      // A file was deleted in the meantime.
      return filesIn(parent);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<Path> storedFiles() {
    return Stream.concat(
            filesIn(directory.resolve("chk-1")).stream(),
            filesIn(directory.resolve("shared")).stream())
        .toList();
  }

  private static Set<String> names(List<Path> files) {
    Set<String> names = new TreeSet<>();
    files.forEach(file -> names.add(file.getFileName().toString()));
    return names;
  }

  @ParameterizedTest
  @ValueSource(strings = {StateBackendOptions.HASHMAP, "rocksdb"})
  @Behaviour("H4: a task that restarts on its TaskManager reads local copies of its state")
  void tasksAreRestoredAlthoughTheFilesOfTheCheckpointAreGone(String backend) throws IOException {
    JobGraph graph = graph(backend, true);
    TestRun run = TestRun.start(graph, host).awaitRunning();
    StateAssignment state = checkpoint(run, 1);
    stop(run);
    assertThat(names(copies())).isNotEmpty().isEqualTo(names(storedFiles()));
    for (Path file : storedFiles()) {
      Files.delete(file);
    }
    restart(graph, state);
  }

  @ParameterizedTest
  @ValueSource(strings = {StateBackendOptions.HASHMAP, "rocksdb"})
  void missingAndDamagedCopiesAreNotUsed(String backend) throws IOException {
    JobGraph graph = graph(backend, true);
    TestRun run = TestRun.start(graph, host).awaitRunning();
    StateAssignment state = checkpoint(run, 1);
    stop(run);
    assertThat(copies()).isNotEmpty();
    boolean damage = true;
    for (Path copy : copies()) {
      byte[] content = Files.readAllBytes(copy);
      Files.delete(copy);
      if (damage) {
        content[content.length / 2] ^= 1;
        Files.write(copy, content);
      }
      damage = !damage;
    }
    restart(graph, state);
  }

  @ParameterizedTest
  @ValueSource(strings = {StateBackendOptions.HASHMAP, "rocksdb"})
  void onlyTheLastCheckpointOfAJobHasCopies(String backend) {
    TestRun run = TestRun.start(graph(backend, true), host).awaitRunning();
    checkpoint(run, 1);
    Set<String> first = names(filesIn(directory.resolve("chk-1")));
    assertThat(names(copies())).isNotEmpty().containsAll(first);
    StateAssignment second = checkpoint(run, 2);
    Set<String> needed = names(filesIn(directory.resolve("chk-2")));
    needed.addAll(second.metadata().sharedFiles());
    run.await("only needed copies are left", () -> names(copies()).equals(needed));

    // A failure after a savepoint goes back to the last checkpoint.
    checkpoint(run, 3, CheckpointRequest.Type.SAVEPOINT);
    stop(run);
    assertThat(names(copies())).isEqualTo(needed);
  }

  @ParameterizedTest
  @ValueSource(strings = {StateBackendOptions.HASHMAP, "rocksdb"})
  void copiesAreDeletedWithTheirJob(String backend) {
    TestRun run = TestRun.start(graph(backend, true), host).awaitRunning();
    checkpoint(run, 1);
    assertThat(copies()).isNotEmpty();
    stop(run);
    assertThat(copies()).isNotEmpty();
    host.release(run.job());
    run.await("no copy is left", () -> copies().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {StateBackendOptions.HASHMAP, "rocksdb"})
  void thereAreNoCopiesWithoutTheOption(String backend) {
    TestRun run = TestRun.start(graph(backend, false), host).awaitRunning();
    checkpoint(run, 1);
    assertThat(copies()).isEmpty();
    stop(run);
  }
}
