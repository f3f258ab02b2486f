package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static io.millrace.sim.cluster.RegressionScenarios.job;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scenarios of bugs that the simulator found with deployments. */
class DeploymentRegressionTest {
  /**
   * The answer to a deployment was lost. When the deployment arrived once more, the checkpoint that
   * its tasks had started from was deleted, and the worker answered that they could not start. The
   * JobMaster deployed them again beside those that ran.
   */
  @Test
  @Behaviour("F5: a deployment that arrives twice runs once")
  void repeatedDeploymentDoesNotFailTasksThatRun() {
    SimJob plain = job(2, Duration.ZERO);
    SimJob checkpointed =
        new SimJob(
            plain
                .graph()
                .withConfiguration(
                    plain
                        .graph()
                        .configuration()
                        .with(CheckpointingOptions.INTERVAL, Duration.ofSeconds(1))
                        .with(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, 1000)
                        .with(CheckpointingOptions.DIRECTORY, "/checkpoints")),
            plain.behaviour());
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(1, false, 1, 2, 1),
              OPTIONS
                  .with(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(1))
                  .with(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofSeconds(8)),
              List.of(checkpointed),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.ConnectionBreak(Duration.ofSeconds(6), "jobmanager-1", "worker-1"),
                  new Fault.CallFault(
                      Duration.ofMillis(5_900),
                      Fault.CallFault.Call.DEPLOYMENT,
                      Fault.CallFault.Effect.DUPLICATED,
                      Duration.ofSeconds(9)),
                  new Fault.MessageLoss(Duration.ofMillis(6_100), 0.3, Duration.ofSeconds(2))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }
}
