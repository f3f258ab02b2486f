package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.MemorySize;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTaskHost.Behaviour;
import io.millrace.sim.Trace;
import io.millrace.sim.sabotage.Sabotages;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.Scenario.StoreType;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Scenarios of bugs that the simulator found with checkpoints. */
class CheckpointRegressionTest {
  /** The Dispatcher removed the entry in its own term, which is lower than that of a JobMaster. */
  @Test
  void checkpointsOfFinishedJobAreRemoved() {
    assertHolds(scenario(1, Partitioning.HASH, List.of()));
  }

  /**
   * When the first subtask of a source had finished, the splits of the second one were distributed
   * to both, and the consumer had not counted them.
   */
  @Test
  void subtasksKeepTheirSplitsWhenOthersHaveFinished() {
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          scenario(
              seed,
              Partitioning.FORWARD,
              List.of(
                  new Fault.Crash(
                      Duration.ofMillis(2_500 + 400L * seed),
                      "jobmanager-1",
                      Duration.ofMillis(500)))));
    }
  }

  /** The reservation of a number after the removal of the job stored its entry again. */
  @Test
  void slowWriteAfterEndOfJobStoresNothing() {
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          scenario(
              seed,
              Partitioning.HASH,
              List.of(
                  new Fault.SlowStorage(
                      Duration.ofMillis(3_000 + 300L * seed),
                      "jobmanager-1",
                      Duration.ofSeconds(6),
                      Duration.ofSeconds(4)))));
    }
  }

  /**
   * A replaced leader had written the metadata of a checkpoint that it could not complete. It was
   * the latest one in the directory when the job was cancelled, and its shared files were deleted.
   */
  @Test
  void retainedCheckpointsAreComplete() {
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(2, false, 1, 2, 1),
              OPTIONS,
              List.of(retained(7)),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.StaleWrite(
                      Duration.ofMillis(5_000 + 300L * seed),
                      Fault.StaleWrite.Moment.CHECKPOINT,
                      Duration.ofSeconds(5),
                      Duration.ofMillis(200))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * The latest checkpoint was damaged and the job cancelled before it could be restored. The rule
   * on committed records missed that the next job starts with the checkpoint before.
   */
  @Test
  void jobIsResumedBehindDamagedCheckpoint() {
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          resumedBehindDamage(
              seed, OPTIONS, Duration.ofMillis(5_000 + 300L * seed), Duration.ofSeconds(15)));
    }
  }

  /**
   * Tasks had found that the latest checkpoint was damaged, and the job was cancelled before they
   * started with the one before. The rule on committed records did not know checkpoints that were
   * deleted with their job.
   */
  @Test
  void jobIsResumedBehindAbandonedCheckpoint() {
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          resumedBehindDamage(
              seed,
              OPTIONS.with(RestartStrategyOptions.FIXED_DELAY, Duration.ofSeconds(3)),
              Duration.ofMillis(6_000),
              Duration.ofMillis(200)));
    }
  }

  /**
   * The failure of a task that could not read its state was sent with a stack trace, which depends
   * on the caller of the run.
   */
  @Test
  void runWithDamagedCheckpointIsTheSameForEachCaller() {
    Scenario scenario =
        new Scenario(
            0,
            ScenarioKind.NETWORK,
            new Shape(1, false, 2, 1, 1),
            OPTIONS,
            List.of(retained(7)),
            List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
            List.of(
                new Fault.DamagedCheckpoint(
                    Duration.ofSeconds(6), 0, true, "worker-2", Duration.ofMillis(200))),
            Duration.ofSeconds(40),
            List.of());
    String digest = assertHolds(scenario).digest();

    List<String> others = Stream.of(scenario).map(same -> assertHolds(same).digest()).toList();
    assertThat(others).containsExactly(digest);
  }

  /**
   * The disk had failed while the number of a checkpoint was stored: it could be read, but had not
   * been forced, and a loss of power undid it. The rule on stored checkpoints took that for a loss,
   * although nobody was told that the number was stored.
   */
  @Test
  void failedChangeMayBeUndoneByLossOfPower() {
    for (int seed = 0; seed < 40; seed++) {
      Scenario scenario =
          new Scenario(
              seed,
              ScenarioKind.STORAGE,
              new Shape(1, false, 1, 2, 1).on(StoreType.FILE),
              OPTIONS,
              List.of(job(Partitioning.HASH)),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.StorageFailure(
                      Duration.ofMillis(3_000 + 20L * seed),
                      "jobmanager-1",
                      SimStore.FailureMode.OUTCOME_UNKNOWN,
                      Duration.ofMillis(700)),
                  new Fault.CrashAtDisk(
                      Duration.ofMillis(3_300 + 20L * seed),
                      "jobmanager-1",
                      seed % 8,
                      true,
                      Duration.ofSeconds(1))),
              Duration.ofSeconds(30),
              List.of());
      assertThat(ScenarioRun.of(scenario, new SimWiring(), new Trace()).violation()).isEmpty();
    }
  }

  /** The rule on failed checkpoints counted a savepoint, which does not restart a job. */
  @Test
  void savepointThatExpiresDoesNotRestartJob() {
    JobGraph graph = job(Partitioning.HASH).graph();
    SimJob intolerant =
        new SimJob(
            new JobGraph(
                graph.id(),
                graph.name(),
                graph.type(),
                graph.vertices(),
                graph.edges(),
                graph.jars(),
                graph
                    .configuration()
                    .with(CheckpointingOptions.INTERVAL, Duration.ofMinutes(10))
                    .with(CheckpointingOptions.TIMEOUT, Duration.ofSeconds(2))
                    .with(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, 0)),
            new Behaviour(Duration.ZERO, 0, Duration.ofMillis(50)));
    assertHolds(
        new Scenario(
            0,
            ScenarioKind.NETWORK,
            new Shape(1, false, 1, 2, 1),
            OPTIONS,
            List.of(intolerant),
            List.of(
                new ClientAction.Submit(Duration.ofSeconds(1), 0),
                new ClientAction.Stop(Duration.ofSeconds(4), 0, false)),
            List.of(new Fault.Isolate(Duration.ofSeconds(3), "worker-1", Duration.ofSeconds(4))),
            Duration.ofSeconds(30),
            List.of()));
  }

  /**
   * One of two pipelines had finished after the savepoint of a stop, and the other one failed: it
   * restarted alone and read on to the end of its input, and the job counted as finished.
   */
  @Test
  void stopEndsAllPipelinesOrNone() {
    SimJob failing =
        new SimJob(
            job(Partitioning.FORWARD).graph(),
            new Behaviour(Duration.ofSeconds(6), 0.3, Duration.ofMillis(50)));
    for (int seed = 0; seed < 20; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.STORAGE,
              new Shape(1, false, 1, 2, 1),
              OPTIONS,
              List.of(failing),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Stop(Duration.ofMillis(1_500), 0, seed % 2 == 0)),
              List.of(),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * A task had awaited a checkpoint before a stop and failed after it. The checkpoints in between
   * had sources as finished that the stop had ended. The job was restored from the last of them and
   * finished without the rest of its input.
   */
  @Test
  void failureAfterAStopGoesBackToItsSavepoint() {
    JobGraph graph = job(Partitioning.FORWARD).graph();
    SimJob failing =
        new SimJob(
            new JobGraph(
                graph.id(),
                graph.name(),
                graph.type(),
                graph.vertices(),
                graph.edges(),
                graph.jars(),
                graph.configuration().with(CheckpointingOptions.INTERVAL, Duration.ofMinutes(10))),
            new Behaviour(Duration.ofSeconds(14), 0.3, Duration.ofMillis(50)));
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.STORAGE,
              new Shape(1, false, 1, 2, 1),
              OPTIONS,
              List.of(failing),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Stop(Duration.ofMillis(2_000 + 250 * seed), 0, true)),
              List.of(),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * A worker did not hear that the savepoint of a stop was aborted, and its sources waited for
   * ever; or that it was complete, and its tasks did not finish.
   */
  @Test
  void outcomeOfAStopThatIsLostIsSentAgain() {
    Fault outcome = lost(Fault.CallFault.Call.STOP_OUTCOME);
    for (int seed = 0; seed < 5; seed++) {
      assertHolds(stopped(seed, List.of(outcome)));
      assertHolds(stopped(seed, List.of(lost(Fault.CallFault.Call.STOP_SNAPSHOTS), outcome)));
    }
  }

  /**
   * A task heard of a completed checkpoint between two others. These had the same content under
   * different names, and the file of the first was deleted when the second superseded it, although
   * a third one, in progress, referred to it.
   */
  @Test
  @io.millrace.core.testing.Behaviour(
      "H4: with several incremental checkpoints at a time, none completes without a file that it"
          + " shares with an earlier one")
  void filesOfSupersededCheckpointsStayForThoseInProgress() {
    int broken = 0;
    for (int seed = 0; seed < 5; seed++) {
      Scenario scenario = manyCheckpoints(seed);
      assertHolds(scenario);
      SimWiring early =
          Sabotages.find("superseded-files-deleted-early").orElseThrow().wiring().get();
      broken += ScenarioRun.of(scenario, early, new Trace()).passed() ? 0 : 1;
    }
    assertThat(broken).as("how often files were needed for longer").isPositive();
  }

  /** Three checkpoints are in progress, and notices reach a worker late. */
  private static Scenario manyCheckpoints(int seed) {
    SimJob job = retained(7);
    return new Scenario(
        seed,
        ScenarioKind.NETWORK,
        new Shape(1, false, 2, 1, 1),
        OPTIONS,
        List.of(
            job.with(
                job.graph()
                    .configuration()
                    .with(CheckpointingOptions.INTERVAL, Duration.ofMillis(300))
                    .with(CheckpointingOptions.NUM_RETAINED, 1)
                    .with(CheckpointingOptions.MAX_CONCURRENT, 3))),
        List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
        List.of(
            new Fault.NetworkDelay(
                Duration.ofSeconds(2), "worker-2", Duration.ofSeconds(1), Duration.ofSeconds(25))),
        Duration.ofSeconds(30),
        List.of());
  }

  private static Fault lost(Fault.CallFault.Call call) {
    return new Fault.CallFault(
        Duration.ofMillis(5_900), call, Fault.CallFault.Effect.CALL_LOST, Duration.ZERO);
  }

  /** The savepoint expires before a worker sends lost snapshots again. */
  private static Scenario stopped(int seed, List<Fault> faults) {
    return new Scenario(
        seed,
        ScenarioKind.NETWORK,
        new Shape(1, false, 2, 1, 1),
        OPTIONS.with(CheckpointingOptions.TIMEOUT, Duration.ofSeconds(3)),
        List.of(retained(7)),
        List.of(
            new ClientAction.Submit(Duration.ofSeconds(1), 0),
            new ClientAction.Stop(Duration.ofSeconds(6), 0, false)),
        faults,
        Duration.ofSeconds(30),
        List.of());
  }

  private static Scenario resumedBehindDamage(
      int seed, Configuration options, Duration damage, Duration down) {
    return new Scenario(
        seed,
        ScenarioKind.NETWORK,
        new Shape(1, false, 2, 1, 1),
        options,
        List.of(retained(7), retained(8)),
        List.of(
            new ClientAction.Submit(Duration.ofSeconds(1), 0),
            new ClientAction.Cancel(Duration.ofSeconds(10), 0),
            new ClientAction.Resume(Duration.ofSeconds(10), 1, 0, false)),
        List.of(new Fault.DamagedCheckpoint(damage, 0, false, "worker-2", down)),
        Duration.ofSeconds(40),
        List.of());
  }

  /** Runs until it is cancelled, and keeps its last two checkpoints then. */
  private static SimJob retained(int id) {
    JobGraph graph = job(Partitioning.HASH).graph();
    return new SimJob(
        new JobGraph(
            JobId.random(new Random(id)),
            graph.name(),
            graph.type(),
            graph.vertices(),
            graph.edges(),
            graph.jars(),
            graph
                .configuration()
                .with(CheckpointingOptions.INTERVAL, Duration.ofSeconds(1))
                .with(CheckpointingOptions.INLINE_THRESHOLD, MemorySize.parse("0 b"))
                .with(
                    CheckpointingOptions.EXTERNALIZED_RETENTION,
                    CheckpointRetention.RETAIN_ON_CANCELLATION)
                .with(CheckpointingOptions.NUM_RETAINED, 2)),
        new Behaviour(Duration.ZERO, 0, Duration.ofMillis(50)));
  }

  private static Scenario scenario(int seed, Partitioning partitioning, List<Fault> faults) {
    return new Scenario(
        seed,
        ScenarioKind.STORAGE,
        new Shape(1, false, 1, 2, 1),
        OPTIONS,
        List.of(job(partitioning)),
        List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
        faults,
        Duration.ofSeconds(30),
        List.of());
  }

  private static SimJob job(Partitioning partitioning) {
    Random random = new Random(7);
    JobVertex source = vertex(random, "source");
    JobVertex sink = vertex(random, "sink");
    return new SimJob(
        new JobGraph(
            JobId.random(random),
            "job",
            JobType.STREAMING,
            List.of(source, sink),
            List.of(new JobEdge(0, source.id(), 0, sink.id(), 0, partitioning, Bytes.EMPTY)),
            List.of(),
            Configuration.EMPTY
                .with(CheckpointingOptions.INTERVAL, Duration.ofMillis(300))
                .with(CheckpointingOptions.TIMEOUT, Duration.ofSeconds(5))
                .with(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, 1000)
                .with(CheckpointingOptions.DIRECTORY, "/checkpoints")),
        new Behaviour(Duration.ofSeconds(6), 0, Duration.ofMillis(50)));
  }

  private static JobVertex vertex(Random random, String name) {
    return new JobVertex(
        VertexId.random(random),
        name,
        2,
        128,
        "default",
        List.of(new ChainedOperator(OperatorId.random(random), name, -1, Bytes.EMPTY)));
  }
}
