package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static io.millrace.sim.cluster.RegressionScenarios.job;

import io.millrace.sim.SimStore.FailureMode;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.Scenario.StoreType;
import io.millrace.sim.scenario.ScenarioKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scenarios of bugs that the simulator found with the production stores on a simulated disk. */
class DiskRegressionTest {
  /**
   * The names in the store's directory were forced to the disk, but not the name of the directory
   * itself: after a loss of power all acknowledged data was lost.
   */
  @Test
  void storeSurvivesLossOfPower() {
    for (int seed = 0; seed < 20; seed++) {
      assertHolds(
          onFiles(
              seed,
              new Fault.CrashAtDisk(
                  Duration.ofSeconds(5), "jobmanager-1", seed, true, Duration.ofSeconds(1))));
    }
  }

  /** A blob that could not be read from the disk was reported as an error of kind BUG. */
  @Test
  void unreadableBlobIsAnExternalError() {
    for (int millis = 0; millis < 40; millis += 2) {
      assertHolds(
          onFiles(
              3,
              new Fault.StorageFailure(
                  Duration.ofMillis(1_000 + millis),
                  "jobmanager-1",
                  FailureMode.UNAVAILABLE,
                  Duration.ofMillis(300))));
    }
  }

  private static Scenario onFiles(int seed, Fault fault) {
    return new Scenario(
        seed,
        ScenarioKind.STORAGE,
        new Shape(1, false, 1, 2, 1).on(StoreType.FILE),
        OPTIONS,
        List.of(job(1, Duration.ZERO), job(2, Duration.ofSeconds(3))),
        List.of(
            new ClientAction.Submit(Duration.ofSeconds(1), 0),
            new ClientAction.Submit(Duration.ofSeconds(6), 1)),
        List.of(fault),
        Duration.ofSeconds(20),
        List.of());
  }
}
