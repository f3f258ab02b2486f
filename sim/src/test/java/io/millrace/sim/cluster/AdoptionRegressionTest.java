package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static io.millrace.sim.cluster.RegressionScenarios.job;

import io.millrace.core.Bytes;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RestartStrategy;
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
import io.millrace.sim.SimTaskHost.Behaviour;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Scenarios of bugs that the simulator found with tasks that outlive their JobMaster. */
class AdoptionRegressionTest {
  private static final Configuration ADOPTING = OPTIONS.with(ExecutionOptions.ADOPT_TASKS, true);

  /**
   * A task ended after its worker had reported it to the next leader, while that one waited for the
   * report of another worker. The worker offered the slot, and the leader failed the job when it
   * adopted the slot a second time.
   */
  @Test
  void slotIsOfferedBeforeItsTasksAreAdopted() {
    for (int seed = 0; seed < 60; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.JOBMANAGERS,
              new Shape(2, false, 3, 1, 1),
              ADOPTING,
              List.of(job(3, Duration.ofSeconds(6))),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.SessionLoss(
                      Duration.ofSeconds(3), "jobmanager-1", Duration.ofMillis(100)),
                  new Fault.LeaderNotificationDelay(
                      Duration.ofSeconds(3), Duration.ofSeconds(3), Duration.ofSeconds(15))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * A connection broke with the request to adopt tasks. The rules did not see that request and took
   * the region, which restarts, for half adopted.
   */
  @Test
  void requestToAdoptTasksIsLostWithItsConnection() {
    for (int seed = 0; seed < 100; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(2, false, 3, 1, 1),
              ADOPTING,
              List.of(connected(3, Configuration.EMPTY)),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.SessionLoss(
                      Duration.ofSeconds(3), "jobmanager-1", Duration.ofMillis(100)),
                  new Fault.FlakyConnections(Duration.ofSeconds(3), 0.06, Duration.ofSeconds(5))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * The notice that the savepoint of a stop was given up was lost, later checkpoints completed, and
   * the leader changed before it repeated the notice. The next leader spoke of later checkpoints
   * only, so that the sources emitted nothing any more.
   */
  @Test
  void stopThatWasGivenUpIsAbortedByTheNextLeader() {
    SimJob job =
        connected(
            2,
            Configuration.EMPTY
                .with(CheckpointingOptions.INTERVAL, Duration.ofSeconds(1))
                .with(CheckpointingOptions.TIMEOUT, Duration.ofSeconds(3))
                .with(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, 1000)
                .with(CheckpointingOptions.DIRECTORY, "/checkpoints"));
    for (int seed = 0; seed < 20; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.JOBMANAGERS,
              new Shape(2, false, 2, 1, 1),
              ADOPTING,
              List.of(job),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Stop(Duration.ofMillis(5_500), 0, false)),
              List.of(
                  new Fault.CallFault(
                      Duration.ofSeconds(5),
                      Fault.CallFault.Call.STOP_SNAPSHOTS,
                      Fault.CallFault.Effect.CALL_LOST,
                      Duration.ZERO),
                  new Fault.CallFault(
                      Duration.ofSeconds(5),
                      Fault.CallFault.Call.STOP_OUTCOME,
                      Fault.CallFault.Effect.CALL_LOST,
                      Duration.ZERO),
                  new Fault.SessionLoss(
                      Duration.ofMillis(12_000), "jobmanager-1", Duration.ofMillis(100))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * A worker was lost while the deployment to it was being stored. A job without restarts fails
   * then, and the rules knew of no task on that worker.
   */
  @Test
  void workerIsLostWhileTheDeploymentIsStored() {
    SimJob job =
        connected(
            3,
            Configuration.EMPTY.with(
                RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.NONE));
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.ELASTIC,
              new Shape(1, true, 1, 3, 1),
              ADOPTING.with(ResourceManagerOptions.MIN_SLOT_NUM, 3),
              List.of(job),
              List.of(new ClientAction.Submit(Duration.ofSeconds(5), 0)),
              List.of(
                  new Fault.WorkerLostAtSlotRequest(
                      Duration.ofSeconds(1),
                      Fault.WorkerLostAtSlotRequest.Cause.REPORTED_AS_ENDED,
                      Duration.ofSeconds(20))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /** Runs until it is cancelled. Its tasks are one region. */
  private static SimJob connected(int parallelism, Configuration configuration) {
    Random random = new Random(11);
    JobVertex source = vertex(random, "source", parallelism);
    JobVertex sink = vertex(random, "sink", parallelism);
    return new SimJob(
        new JobGraph(
            JobId.random(random),
            "job",
            JobType.STREAMING,
            List.of(source, sink),
            List.of(new JobEdge(0, source.id(), 0, sink.id(), 0, Partitioning.HASH, Bytes.EMPTY)),
            List.of(),
            configuration),
        new Behaviour(Duration.ZERO, 0, Duration.ofMillis(50)));
  }

  private static JobVertex vertex(Random random, String name, int parallelism) {
    return new JobVertex(
        VertexId.random(random),
        name,
        parallelism,
        128,
        "default",
        List.of(new ChainedOperator(OperatorId.random(random), name, -1, Bytes.EMPTY)));
  }
}
