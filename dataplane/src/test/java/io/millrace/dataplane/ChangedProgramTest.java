package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.window.WindowAssigner;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.CheckpointTest.Counting;
import io.millrace.dataplane.CheckpointTest.Ids;
import io.millrace.dataplane.CheckpointTest.KeyCount;
import io.millrace.dataplane.CheckpointTest.Program;
import io.millrace.dataplane.CheckpointTest.Tallying;
import io.millrace.dataplane.CheckpointTest.Window;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.graph.JobGraph;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.StateAssignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that start with the state of an earlier version of themselves: what the operator cannot
 * use is refused in every backend, before a record is lost.
 */
class ChangedProgramTest {
  private static final int EVENTS = 60;

  @TempDir Path directory;

  /** Where state is, and in which format checkpoints have it. */
  private enum Backend {
    HEAP,
    ROCKSDB_CANONICAL,
    ROCKSDB_NATIVE;

    JobGraph of(JobGraph graph) {
      return graph.withConfiguration(
          graph
              .configuration()
              .with(StateBackendOptions.TYPE, this == HEAP ? "hashmap" : "rocksdb")
              .with(CheckpointingOptions.INCREMENTAL, this == ROCKSDB_NATIVE));
    }
  }

  /**
   * @param refused the beginning and the end of the reason; empty if the state is used
   */
  private record Change(Program before, Program after, List<String> refused) {}

  private static Program aggregated(WindowAssigner assigner, int lateness) {
    return (env, events) ->
        events
            .keyBy(Event::key)
            .window(assigner)
            .allowedLateness(Duration.ofMillis(lateness))
            .aggregate(new Tallying(), new Window())
            .uid("changed");
  }

  private static Program records(WindowAssigner assigner) {
    return (env, events) ->
        events.keyBy(Event::key).window(assigner).process(new Ids()).uid("changed");
  }

  private static Program reduce() {
    return (env, events) ->
        events
            .keyBy(Event::key)
            .reduce((left, right) -> right)
            .uid("changed")
            .map(event -> new KeyCount(event.key(), 1).toString());
  }

  private static Program aggregate() {
    return (env, events) ->
        events.keyBy(Event::key).aggregate(new Counting()).uid("changed").map(text -> text);
  }

  private static Program count() {
    return (env, events) ->
        events.keyBy(Event::key).count().uid("changed").map(counted -> counted.toString());
  }

  private static WindowAssigner aligned(long size, long slide, long offset) {
    return new WindowAssigner.Aligned(size, slide, offset, true);
  }

  private static WindowAssigner sessions(long gap) {
    return new WindowAssigner.Session(gap, true);
  }

  private static Map<String, Change> changes() {
    Map<String, Change> changes = new LinkedHashMap<>();
    List<String> used = List.of();
    changes.put(
        "windows of another size",
        new Change(
            aggregated(aligned(4000, 4000, 0), 0),
            aggregated(aligned(2000, 2000, 0), 0),
            List.of("windows or panes of 4000 ms", "which have 2000 ms now")));
    changes.put(
        "windows that begin at other times",
        new Change(
            aggregated(aligned(4000, 4000, 0), 0),
            aggregated(aligned(4000, 4000, 1500), 0),
            List.of("the checkpoint has windows", "Give the operator another uid")));
    changes.put(
        "records of windows of another size",
        new Change(
            records(aligned(4000, 4000, 0)),
            records(aligned(8000, 8000, 0)),
            List.of("windows or panes of 4000 ms", "which have 8000 ms now")));
    changes.put(
        "another slide",
        new Change(
            aggregated(aligned(4000, 1000, 0), 0),
            aggregated(aligned(4000, 800, 0), 0),
            List.of("windows or panes of 1000 ms", "which have 800 ms now")));
    changes.put(
        "windows that slide now",
        new Change(
            aggregated(aligned(4000, 4000, 0), 0),
            aggregated(aligned(4000, 1000, 0), 0),
            List.of(
                "the checkpoint has an aggregating state 'windows'",
                "which have an aggregating state 'panes' now")));
    changes.put(
        "windows in place of sessions",
        new Change(
            aggregated(sessions(3000), 0),
            aggregated(aligned(4000, 4000, 0), 0),
            List.of(
                "the checkpoint has an aggregating state 'sessions'",
                "which have an aggregating state 'windows' now")));
    changes.put(
        "sessions in place of windows",
        new Change(
            aggregated(aligned(4000, 4000, 0), 0),
            aggregated(sessions(3000), 0),
            List.of(
                "the checkpoint has an aggregating state 'windows'",
                "which have an aggregating state 'sessions' now")));
    changes.put(
        "records in place of an aggregate",
        new Change(
            aggregated(aligned(4000, 4000, 0), 0),
            records(aligned(4000, 4000, 0)),
            List.of(
                "the checkpoint has an aggregating state 'windows'",
                "which have a list state 'windows' now")));
    changes.put(
        "records of sessions in place of an aggregate",
        new Change(
            aggregated(sessions(3000), 0),
            records(sessions(3000)),
            List.of(
                "the checkpoint has an aggregating state 'sessions'",
                "which have a list state 'sessions' now")));
    changes.put(
        "an aggregate in place of a reduction",
        new Change(
            reduce(),
            aggregate(),
            List.of("the checkpoint has state 'record'", "which has state 'accumulator' now")));
    changes.put(
        "an aggregate in place of a count",
        new Change(
            count(),
            aggregate(),
            List.of("the checkpoint has state 'number'", "which has state 'accumulator' now")));
    changes.put(
        "a count in place of an aggregate",
        new Change(
            aggregate(),
            count(),
            List.of("the checkpoint has state 'accumulator'", "which has state 'number' now")));
    changes.put(
        "another gap",
        new Change(aggregated(sessions(3000), 0), aggregated(sessions(2000), 0), used));
    changes.put(
        "another lateness",
        new Change(
            aggregated(aligned(4000, 4000, 0), 0), aggregated(aligned(4000, 4000, 0), 70), used));
    changes.put(
        "the same",
        new Change(
            aggregated(aligned(4000, 1000, 5), 0), aggregated(aligned(4000, 1000, 5), 0), used));
    return changes;
  }

  @TestFactory
  @Behaviour("H3: state that a changed operator cannot use is refused in every backend")
  Stream<DynamicTest> stateThatTheOperatorCannotUseIsRefused() {
    return changes().entrySet().stream()
        .flatMap(
            entry ->
                Stream.of(Backend.values())
                    .map(
                        backend ->
                            DynamicTest.dynamicTest(
                                entry.getKey() + " in " + backend,
                                () -> check(entry.getValue(), backend))));
  }

  private void check(Change change, Backend backend) throws IOException {
    Replay replay = new Replay(5, EVENTS, 0);
    StateAssignment state;
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(1))) {
      replay.allow(EVENTS / 2);
      TestRun run =
          TestRun.start(backend.of(CheckpointTest.graph(replay, change.before(), 1)), host)
              .awaitRunning();
      run.await("events are read", () -> replay.eventsRead() == Replay.SPLITS * EVENTS / 2);
      CheckpointRequest request = request();
      run.trigger(request);
      run.awaitStored(1);
      state = run.assignment(request);
      assertThat(run.failures()).isEmpty();
      run.cancel();
      run.awaitEnd();
    }
    try (DataPlane host = new DataPlane(DataPlaneSettings.inProcess(1))) {
      replay.allowAll();
      TestRun run =
          TestRun.of(backend.of(CheckpointTest.graph(replay, change.after(), 1)), host)
              .restoring(state)
              .deploy(2, subtask -> 0);
      if (change.refused().isEmpty()) {
        run.awaitEnd();
        assertThat(run.failures()).isEmpty();
        assertThat(replay.results()).isNotEmpty();
        return;
      }
      run.await(
          "a failure, or the end",
          () ->
              !run.failures().isEmpty()
                  || run.states().values().stream().allMatch(TaskState::isTerminal));
      assertThat(run.failures()).hasSize(1);
      Failure failure = run.failures().get(0);
      assertThat(failure.kind()).isEqualTo(ErrorKind.USER);
      assertThat(failure.message()).contains(change.refused());
      run.cancel();
      run.awaitEnd();
    }
  }

  private CheckpointRequest request() throws IOException {
    Path checkpoint = Files.createTempDirectory(directory, "checkpoint-");
    return new CheckpointRequest(
        1,
        0,
        CheckpointRequest.Type.CHECKPOINT,
        CheckpointRequest.Barriers.ALIGNED,
        checkpoint.toString(),
        checkpoint.toString(),
        100);
  }
}
