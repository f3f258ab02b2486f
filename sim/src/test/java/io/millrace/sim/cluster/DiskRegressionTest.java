package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static io.millrace.sim.cluster.RegressionScenarios.job;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.sim.SimStore.FailureMode;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.Scenario.StoreType;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.ArrayList;
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

  /**
   * Several changes of a value were visible and reported as failed. A loss of power undid the last
   * ones of them only, which the rules took for the loss of an acknowledged change.
   */
  @Test
  void lossOfPowerUndoesTheLastOfSeveralFailedChanges() {
    SimJob plain = job(1, Duration.ZERO);
    SimJob checkpointed =
        new SimJob(
            plain
                .graph()
                .withConfiguration(
                    plain
                        .graph()
                        .configuration()
                        .with(CheckpointingOptions.INTERVAL, Duration.ofMillis(300))
                        .with(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, 1000)
                        .with(CheckpointingOptions.DIRECTORY, "/checkpoints")),
            plain.behaviour());
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          onFiles(
              seed,
              List.of(checkpointed),
              List.of(
                  new Fault.StorageFailure(
                      Duration.ofSeconds(5),
                      "jobmanager-1",
                      FailureMode.OUTCOME_UNKNOWN,
                      Duration.ofSeconds(10)),
                  new Fault.CrashAtDisk(
                      Duration.ofSeconds(6),
                      "jobmanager-1",
                      10 + seed % 10,
                      true,
                      Duration.ofSeconds(1)))));
    }
  }

  private static Scenario onFiles(int seed, Fault fault) {
    return onFiles(
        seed, List.of(job(1, Duration.ZERO), job(2, Duration.ofSeconds(3))), List.of(fault));
  }

  private static Scenario onFiles(int seed, List<SimJob> jobs, List<Fault> faults) {
    List<ClientAction> acts = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      acts.add(new ClientAction.Submit(Duration.ofSeconds(1 + 5L * i), i));
    }
    return new Scenario(
        seed,
        ScenarioKind.STORAGE,
        new Shape(1, false, 1, 2, 1).on(StoreType.FILE),
        OPTIONS,
        jobs,
        acts,
        faults,
        Duration.ofSeconds(20),
        List.of());
  }
}
