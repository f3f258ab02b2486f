package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static io.millrace.sim.cluster.RegressionScenarios.job;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.ScenarioKind;
import java.time.Duration;
import java.util.List;
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
}
