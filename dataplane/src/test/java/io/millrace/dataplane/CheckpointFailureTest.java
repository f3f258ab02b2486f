package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.StateAssignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints that fail or are aborted leave the job as it was; savepoints stop it. */
class CheckpointFailureTest {
  private static final int EVENTS = 300;
  private static final int DISORDER = 40;
  private static final CheckpointTest.Program EVERY_STATE =
      CheckpointTest.PROGRAMS.get("states, timers and side output");

  @TempDir Path directory;

  private final DataPlane host = new DataPlane(DataPlaneSettings.inProcess(2));
  private final Replay replay = new Replay(5, EVENTS, DISORDER);

  @AfterEach
  void close() {
    host.close();
  }

  private CheckpointRequest request(long checkpoint, CheckpointRequest.Type type, String where) {
    return new CheckpointRequest(
        checkpoint,
        System.currentTimeMillis(),
        type,
        CheckpointRequest.Barriers.ALIGNED,
        where,
        directory.toString(),
        0);
  }

  private CheckpointRequest request(long checkpoint, CheckpointRequest.Type type) {
    try {
      return request(
          checkpoint,
          type,
          Files.createDirectories(directory.resolve("chk-" + checkpoint)).toString());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private CheckpointRequest request(long checkpoint) {
    return request(checkpoint, CheckpointRequest.Type.CHECKPOINT);
  }

  /** A request whose state is not in files, so that each task reports it at once. */
  private CheckpointRequest inline(long checkpoint) {
    return new CheckpointRequest(
        checkpoint,
        System.currentTimeMillis(),
        CheckpointRequest.Type.CHECKPOINT,
        CheckpointRequest.Barriers.ALIGNED,
        directory.toString(),
        directory.toString(),
        1 << 20);
  }

  private TestRun start(CheckpointTest.Program program, int parallelism) {
    return TestRun.start(CheckpointTest.graph(replay, program, parallelism), host).awaitRunning();
  }

  private void finish(TestRun run) {
    replay.allowAll();
    run.awaitEnd();
    assertThat(run.failures()).isEmpty();
    assertThat(run.violations()).isEmpty();
    assertThat(run.count(TaskState.FINISHED)).isEqualTo(run.states().size());
  }

  private void assertUndisturbed(CheckpointTest.Program program) {
    assertThat(replay.results()).isEqualTo(CheckpointTest.undisturbed(5, program, EVENTS, 2));
  }

  private Map<ExecutionId, DeclineCause> failed(TestRun run, CheckpointRequest request) {
    run.trigger(request);
    run.await(
        "every task has stored or failed",
        () ->
            run.snapshots(request.checkpoint()).size()
                    + run.snapshotFailures(request.checkpoint()).size()
                == run.states().size());
    return run.snapshotFailures(request.checkpoint());
  }

  @Test
  @Behaviour("H4: a snapshot that cannot be written fails its checkpoint and not the job")
  void aFullDiskFailsTheCheckpointAndTheJobGoesOn() {
    TestRun run = start(EVERY_STATE, 2);
    replay.allow(100);
    for (String where : List.of("faulty://disk/full", "faulty://disk/close")) {
      long checkpoint = where.endsWith("full") ? 1 : 2;
      CheckpointRequest request =
          request(checkpoint, CheckpointRequest.Type.CHECKPOINT, where + checkpoint);
      assertThat(failed(run, request).values())
          .isNotEmpty()
          .allSatisfy(
              failure ->
                  assertThat(failure.message())
                      .contains(where)
                      .containsAnyOf("No space left on device", "The connection was lost"));
      run.abort(checkpoint);
    }
    assertThat(
            failed(
                    run,
                    request(3, CheckpointRequest.Type.CHECKPOINT, directory + "/does-not-exist"))
                .values())
        .isNotEmpty()
        .allSatisfy(failure -> assertThat(failure.message()).contains("does-not-exist"));
    run.abort(3);

    CheckpointRequest good = request(4);
    run.trigger(good);
    run.awaitStored(4);
    run.complete(4);
    finish(run);
    assertUndisturbed(EVERY_STATE);
    run.await("no checkpoint is open", () -> host.openCheckpoints() == 0);
  }

  @Test
  void aFunctionThatThrowsInASnapshotFailsTheCheckpointAndTheJobGoesOn() {
    TestRun run = start(EVERY_STATE, 2);
    replay.allow(100);
    replay.failSnapshots(true);
    Map<ExecutionId, DeclineCause> failures = failed(run, request(1));
    assertThat(failures.values())
        .isNotEmpty()
        .allSatisfy(
            failure ->
                assertThat(failure.message())
                    .contains("Source")
                    .contains("checkpoint 1")
                    .contains("no snapshot today"));
    run.abort(1);
    replay.failSnapshots(false);
    run.trigger(request(2));
    run.awaitStored(2);
    run.complete(2);
    finish(run);
    assertUndisturbed(EVERY_STATE);
  }

  @Test
  void aTaskIsCancelledWhileItsSnapshotIsWritten() throws Exception {
    FaultyFiles.block();
    TestRun run = start(EVERY_STATE, 2);
    replay.allow(100);
    run.trigger(request(1, CheckpointRequest.Type.CHECKPOINT, "faulty://disk/blocked"));
    FaultyFiles.begun.await();
    run.cancel();
    run.awaitEnd();
    FaultyFiles.unblocked.countDown();
    assertThat(run.count(TaskState.CANCELED)).isEqualTo(run.states().size());
    run.await("no checkpoint is open", () -> host.openCheckpoints() == 0);
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void anAbortedCheckpointIsNotWritten() throws Exception {
    FaultyFiles.block();
    TestRun run = start(EVERY_STATE, 2);
    replay.allow(100);
    run.trigger(request(1, CheckpointRequest.Type.CHECKPOINT, "faulty://disk/blocked/abort"));
    FaultyFiles.begun.await();
    run.abort(1);
    FaultyFiles.unblocked.countDown();
    run.trigger(request(2));
    run.awaitStored(2);
    run.complete(2);
    finish(run);
    assertUndisturbed(EVERY_STATE);
    run.await(
        "the files are deleted", () -> FaultyFiles.files("faulty://disk/blocked/abort").isEmpty());
    run.await("no checkpoint is open", () -> host.openCheckpoints() == 0);
  }

  /** Counts the events of two sources. */
  private static CheckpointTest.Program union(Replay other) {
    return (env, events) ->
        events
            .union(env.fromSource(other.source(), RandomEvents.within(DISORDER), "others"))
            .keyBy(Event::key)
            .count()
            .map(Object::toString);
  }

  private static Predicate<JobVertex> named(String name) {
    return vertex -> vertex.name().contains(name);
  }

  private List<String> undisturbedUnion() {
    Replay one = new Replay(5, EVENTS, DISORDER);
    Replay two = new Replay(6, EVENTS, DISORDER);
    one.allowAll();
    two.allowAll();
    TestRun.start(CheckpointTest.graph(one, union(two), 1), host).awaitEnd();
    return one.results();
  }

  @Test
  @Behaviour("H4: an aborted checkpoint blocks no channel")
  void recordsBehindTheBarrierOfAnAbortedCheckpointGoOn() {
    Replay other = new Replay(6, EVENTS, DISORDER);
    TestRun run = start(union(other), 2);
    replay.allow(50);
    other.allow(50);
    // The barrier starts at one of the sources only, so that it is never aligned.
    run.trigger(inline(1), named("events"));
    run.await("the sources have stored", () -> run.snapshots(1).size() == 2);
    replay.allow(100);
    run.abort(1);
    run.trigger(request(2));
    run.awaitStored(2);
    run.complete(2);
    other.allowAll();
    finish(run);
    assertThat(replay.results()).isEqualTo(undisturbedUnion());
  }

  @Test
  void aLaterCheckpointSupersedesOneThatIsNeverAligned() {
    Replay other = new Replay(6, EVENTS, DISORDER);
    TestRun run = start(union(other), 2);
    replay.allow(50);
    other.allow(50);
    run.trigger(inline(1), named("events"));
    run.await("the sources have stored", () -> run.snapshots(1).size() == 2);
    run.trigger(request(2));
    run.awaitStored(2);
    assertThat(run.snapshotFailures(1).values())
        .hasSize(2)
        .allSatisfy(
            failure ->
                assertThat(failure.message()).contains("checkpoint 1").contains("checkpoint 2"));
    run.complete(2);
    other.allowAll();
    finish(run);
    assertThat(replay.results()).isEqualTo(undisturbedUnion());
  }

  @Test
  @Behaviour("H4: the tasks of a TaskManager share few state files per checkpoint")
  void manyTasksWriteFewFiles() throws IOException {
    TestRun run = start(EVERY_STATE, 4);
    replay.allow(200);
    CheckpointRequest request = request(1);
    run.trigger(request);
    run.awaitStored(1);
    try (Stream<Path> files = Files.list(Path.of(request.directory()))) {
      assertThat(files.count()).isBetween(1L, 4L);
    }
    finish(run);
  }

  @Test
  void aTaskThatHasEndedDeclines() {
    TestRun run = start(EVERY_STATE, 1);
    JobGraph graph = CheckpointTest.graph(replay, EVERY_STATE, 1);
    assertThat(graph.vertices()).isNotEmpty();
    ExecutionId unknown = new ExecutionId(new io.millrace.core.id.Id128(1, 1));
    host.triggerCheckpoint(run.job(), request(1), List.of(unknown));
    assertThat(run.snapshotFailures(1)).containsOnlyKeys(unknown);
    finish(run);
  }

  // --- savepoints that stop the job

  @Test
  @Behaviour("H4: a job suspended with a savepoint emits nothing more and goes on from it later")
  void aSuspendedJobGoesOnFromItsSavepoint() {
    for (String name : List.of("states, timers and side output", "sessions", "sliding")) {
      CheckpointTest.Program program = CheckpointTest.PROGRAMS.get(name);
      Replay events = new Replay(9, EVENTS, DISORDER);
      TestRun run = TestRun.start(CheckpointTest.graph(events, program, 3), host).awaitRunning();
      events.allow(150);
      CheckpointRequest savepoint = request(1, CheckpointRequest.Type.SAVEPOINT_SUSPEND);
      run.trigger(savepoint);
      run.awaitStored(1);
      int read = events.eventsRead();
      events.allowAll();
      run.complete(1);
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
      assertThat(run.count(TaskState.FINISHED)).isEqualTo(run.states().size());
      assertThat(events.eventsRead()).as("nothing is read after the barrier").isEqualTo(read);

      TestRun next =
          TestRun.of(CheckpointTest.graph(events, program, 2), host)
              .restoring(run.assignment(savepoint))
              .deploy(2, subtask -> 0)
              .awaitEnd();
      assertThat(next.failures()).isEmpty();
      assertThat(events.results())
          .as(name)
          .isEqualTo(CheckpointTest.undisturbed(9, program, EVENTS, 2));
    }
  }

  @Test
  void aJobGoesOnIfTheSavepointThatSuspendsItIsAborted() {
    TestRun run = start(EVERY_STATE, 2);
    replay.allow(100);
    run.trigger(request(1, CheckpointRequest.Type.SAVEPOINT_SUSPEND));
    run.awaitStored(1);
    run.abort(1);
    finish(run);
    assertUndisturbed(EVERY_STATE);
  }

  @Test
  @Behaviour("H4: the next leader says what became of checkpoints that were in progress")
  void aJobGoesOnIfTheOutcomeOfItsStopWasLostWithTheLeader() {
    TestRun run = start(EVERY_STATE, 2);
    replay.allow(100);
    run.trigger(request(1, CheckpointRequest.Type.SAVEPOINT_SUSPEND));
    run.awaitStored(1);
    run.trigger(request(2, CheckpointRequest.Type.CHECKPOINT));
    run.awaitStored(2);
    run.complete(2);
    run.abortEarlier(2);
    finish(run);
    assertUndisturbed(EVERY_STATE);
  }

  @Test
  @Behaviour("H4: a drained job fires all windows and timers before its savepoint")
  void aDrainedJobFiresAllWindowsAndTimersBeforeItsSavepoint() {
    for (String name :
        List.of(
            "states, timers and side output", "sessions", "sliding", "tumbling with lateness")) {
      CheckpointTest.Program program = CheckpointTest.PROGRAMS.get(name);
      Replay events = new Replay(11, EVENTS, DISORDER);
      TestRun run = TestRun.start(CheckpointTest.graph(events, program, 2), host).awaitRunning();
      events.allow(120);
      run.await("all are read", () -> events.eventsRead() == 120 * Replay.SPLITS);
      run.trigger(request(1, CheckpointRequest.Type.SAVEPOINT_DRAIN));
      run.awaitStored(1);
      run.complete(1);
      run.awaitEnd();
      assertThat(run.failures()).isEmpty();
      assertThat(run.count(TaskState.FINISHED)).isEqualTo(run.states().size());

      Replay expected = new Replay(11, EVENTS, DISORDER).truncatedTo(120);
      expected.allowAll();
      TestRun.start(CheckpointTest.graph(expected, program, 2), host).awaitEnd();
      assertThat(events.results()).as(name).isEqualTo(expected.results());
    }
  }

  // --- the end of tasks

  @Test
  @Behaviour("H4: tasks that had finished in a checkpoint end without calling user code")
  void finishedTasksEndWithoutCallingUserCode() {
    Replay other = new Replay(6, EVENTS, DISORDER);
    TestRun run = start(union(other), 2);
    other.allowAll();
    run.await("the other source has finished", () -> run.count(TaskState.FINISHED) == 2);
    replay.allow(100);
    CheckpointRequest request = request(1);
    run.trigger(request, named("events"));
    run.awaitStored(1);
    StateAssignment state = run.assignment(request);
    run.cancel();
    run.awaitEnd();
    int opened = other.readersOpened();

    TestRun next =
        TestRun.of(CheckpointTest.graph(replay, union(other), 3), host)
            .restoring(state)
            .deploy(2, subtask -> 0);
    finish(next);
    assertThat(other.readersOpened()).isEqualTo(opened);
    assertThat(replay.results()).isEqualTo(undisturbedUnion());
  }

  @Test
  void aTaskThatAwaitsACheckpointFinishesAfterIt() {
    CheckpointTest.Program periodic =
        (env, events) ->
            CheckpointTest.PROGRAMS
                .get("count")
                .of(env.configure(CheckpointingOptions.INTERVAL.key(), "1 h"), events);
    TestRun run = start(periodic, 2);
    replay.allowAll();
    run.await("the sources have finished", () -> run.count(TaskState.FINISHED) == 2);
    run.await(
        "the sinks await a checkpoint",
        () -> {
          CheckpointRequest request = request(1 + run.snapshotAttempts());
          run.trigger(request, named("count"));
          run.await("an answer", () -> run.answers(request.checkpoint()) == 2);
          return run.snapshots(request.checkpoint()).size() == 2;
        });
    assertThat(run.count(TaskState.FINISHED)).isEqualTo(2);
    // The first one may have been taken before the sinks had all their input.
    run.complete(run.snapshotAttempts());
    run.await(
        "the sinks finish after a checkpoint",
        () -> {
          CheckpointRequest request = request(1 + run.snapshotAttempts());
          run.trigger(request, named("count"));
          // Completes those before it, too; a task that has finished does not answer.
          run.complete(request.checkpoint());
          return run.count(TaskState.FINISHED) == 4;
        });
    assertThat(run.failures()).isEmpty();
    assertUndisturbed(CheckpointTest.PROGRAMS.get("count"));
  }
}
