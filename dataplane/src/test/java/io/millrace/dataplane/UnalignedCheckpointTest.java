package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.CheckpointTest.Program;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskCounters;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.CheckpointRequest.Barriers;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints whose barriers overtake records. */
@Tag("slow")
class UnalignedCheckpointTest {
  private static final int DISORDER = 40;

  @TempDir Path directory;

  private CheckpointRequest request(long checkpoint, Barriers barriers, int inlineThreshold) {
    try {
      return new CheckpointRequest(
          checkpoint,
          System.currentTimeMillis(),
          CheckpointRequest.Type.CHECKPOINT,
          barriers,
          Files.createDirectories(
                  directory
                      .resolve(Long.toHexString(System.nanoTime()))
                      .resolve("chk-" + checkpoint))
              .toString(),
          directory.toString(),
          inlineThreshold);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Barriers after(int millis) {
    return new Barriers(true, Duration.ofMillis(millis));
  }

  private static JobGraph graph(Replay replay, Brake brake, Program program, int parallelism) {
    return CheckpointTest.graph(
        replay,
        (env, events) -> program.of(env, events).map(brake.function()),
        parallelism,
        DISORDER);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Behaviour("H4: an unaligned checkpoint completes while a sink takes no records")
  void completesWhileTheSinkIsBlocked(boolean remote) {
    List<DataPlane> hosts = CheckpointTest.hosts(remote ? 2 : 1);
    try {
      TestJobGraph program = new TestJobGraph();
      JobVertex source = program.vertex("source", 2, Fixtures.numbers(3_000_000));
      JobVertex middle = program.vertex("middle", 2, new OperatorSpec.Map(record -> record));
      JobVertex sink = program.vertex("sink", 2, Fixtures.collect());
      program.edge(source, middle, Partitioning.REBALANCE);
      program.edge(middle, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
      JobGraph graph = program.build();
      TestRun run = TestRun.of(graph, hosts.toArray(new DataPlane[0])).holdCollected();
      run.deploy(1, subtask -> subtask % hosts.size()).awaitRunning();
      run.await(
          "the sinks are full",
          () -> counters(run, hosts, sink).allMatch(task -> task.recordsIn() > 1024));
      long since = backPressured(run, hosts, source);
      run.await("back pressure", () -> backPressured(run, hosts, source) > since + 300);
      long before = recordsIn(run, hosts, sink);

      run.trigger(request(1, after(remote ? 10 : 0), 1000));
      run.awaitStored(1);

      // The sink, which waits for the client, has taken nothing.
      assertThat(recordsIn(run, hosts, sink)).isEqualTo(before);
      Collection<TaskSnapshot> snapshots = run.snapshots(1).values();
      // With a time-out the barrier of a source overtakes nothing if its way is free at that
      // moment.
      List<ExecutionId> mayBeFree = remote ? run.executionsOf(source) : List.of();
      assertThat(snapshots)
          .hasSize(6)
          .allMatch(
              snapshot ->
                  snapshot.timing().unaligned()
                      || mayBeFree.contains(snapshot.execution()) && snapshot.inFlight().isEmpty());
      assertThat(snapshots)
          .flatExtracting(TaskSnapshot::inFlight)
          .extracting(TaskSnapshot.InFlight::edge, TaskSnapshot.InFlight::input)
          .contains(tuple(0, true), tuple(0, false), tuple(1, true), tuple(1, false));
      assertThat(run.failures()).isEmpty();
      run.cancel();
      run.awaitEnd();
    } finally {
      hosts.forEach(DataPlane::close);
    }
  }

  private static Stream<TaskCounters> counters(
      TestRun run, List<DataPlane> hosts, JobVertex vertex) {
    return hosts.stream()
        .flatMap(host -> host.counters(run.job()).stream())
        .filter(counters -> run.executionsOf(vertex).contains(counters.execution()));
  }

  private static long backPressured(TestRun run, List<DataPlane> hosts, JobVertex vertex) {
    return counters(run, hosts, vertex)
        .mapToLong(TaskCounters::backPressuredMillis)
        .min()
        .orElse(0);
  }

  private static long recordsIn(TestRun run, List<DataPlane> hosts, JobVertex vertex) {
    return counters(run, hosts, vertex).mapToLong(TaskCounters::recordsIn).sum();
  }

  @TestFactory
  @Behaviour(
      "H4: a job that is killed goes on from an unaligned checkpoint as if nothing had happened")
  Stream<DynamicTest> killedJobsHaveTheResultsOfAnUndisturbedRun() {
    return CheckpointTest.PROGRAMS.entrySet().stream()
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
    Random random = new Random(seed * 37 + name.hashCode());
    int events = 400;
    // The copies of a broadcast depend on the parallelism, which stays the same then.
    boolean rescales = !name.contains("broadcast");
    int[] parallelisms = {3, 3, 1, 4, 2};
    Replay replay = new Replay(seed, events, DISORDER);
    Brake brake = new Brake();
    List<StateAssignment> restored = new ArrayList<>();
    long checkpoint = 0;
    for (int attempt = 0; attempt < parallelisms.length; attempt++) {
      int parallelism = rescales ? parallelisms[attempt] : 3;
      List<DataPlane> hosts = CheckpointTest.hosts(1 + random.nextInt(2));
      brake.close();
      try {
        TestRun run =
            TestRun.of(graph(replay, brake, program, parallelism), hosts.toArray(new DataPlane[0]));
        restored.forEach(run::restoring);
        run.deploy(1, subtask -> subtask % hosts.size());
        if (attempt == parallelisms.length - 1) {
          replay.allowAll();
          brake.open();
          run.awaitEnd();
        } else {
          run.awaitRunning();
          int target = events * (attempt + 1) / parallelisms.length;
          for (int i = 0; i < 1 + random.nextInt(2); i++) {
            int before = replay.eventsRead();
            brake.permit(random.nextInt(100));
            replay.allow(target + 10 * i);
            if (i == 0) {
              run.await("some events are read", () -> replay.eventsRead() > before);
            }
            CheckpointRequest request =
                request(++checkpoint, after(random.nextInt(3) * 4), random.nextInt(3000));
            long number = checkpoint;
            run.trigger(request);
            run.await(
                "checkpoint " + number + " " + run.snapshotFailures(number),
                () -> {
                  // A task takes its snapshot between two records.
                  brake.permit(5);
                  return run.isStored(number);
                });
            restored = List.of(run.assignment(request));
            if (random.nextBoolean()) {
              run.complete(checkpoint);
            }
          }
        }
        assertThat(run.failures()).as("seed %s", seed).isEmpty();
        assertThat(run.violations()).as("seed %s", seed).isEmpty();
      } finally {
        hosts.forEach(DataPlane::close);
      }
    }
    assertThat(replay.results())
        .as("seed %s", seed)
        .isEqualTo(CheckpointTest.undisturbed(seed, program, events, rescales ? 2 : 3));
  }
}
