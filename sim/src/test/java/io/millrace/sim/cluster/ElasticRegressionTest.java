package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static io.millrace.sim.cluster.RegressionScenarios.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerReleased;
import io.millrace.sim.SimDriver;
import io.millrace.sim.Trace;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.ScenarioKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Scenarios of bugs that the simulator found with workers that are started on demand. */
class ElasticRegressionTest {
  /**
   * The SlotManager required the configured minimum before the worker pool was there to request it.
   * The demand was lost, and a job for which the minimum was enough got no workers.
   */
  @Test
  void configuredMinimumIsRequested() {
    assertHolds(
        new Scenario(
            28,
            ScenarioKind.CALM,
            new Shape(1, true, 1, 2, 4),
            OPTIONS.with(ResourceManagerOptions.MIN_SLOT_NUM, 4),
            List.of(job(2, Duration.ofSeconds(3))),
            List.of(new ClientAction.Submit(Duration.ofSeconds(5), 0)),
            List.of(),
            Duration.ofSeconds(20),
            List.of()));
  }

  /** A new leader requested the configured minimum before it knew the stored limit. */
  @Test
  void configuredMinimumIsRequestedWithinStoredLimit() {
    for (String leader : List.of("jobmanager-1", "jobmanager-2")) {
      assertHolds(
          new Scenario(
              1,
              ScenarioKind.ELASTIC,
              new Shape(2, true, 1, 2, 3),
              OPTIONS
                  .with(ResourceManagerOptions.MIN_SLOT_NUM, 6)
                  .with(ResourceManagerOptions.TASK_MANAGER_TIMEOUT, Duration.ofSeconds(5)),
              List.of(job(2, Duration.ofSeconds(3))),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Limit(Duration.ofSeconds(2), 0)),
              List.of(new Fault.SessionLoss(Duration.ofSeconds(24), leader, Duration.ofSeconds(5))),
              Duration.ofSeconds(40),
              List.of()));
    }
  }

  /** The next JobManager finds and uses a process that a killed JobManager had just started. */
  @Test
  void workerOfKilledJobManagerIsFoundByItsSuccessor() {
    RunOutcome outcome =
        assertHolds(
            new Scenario(
                1,
                ScenarioKind.ELASTIC,
                new Shape(1, true, 1, 2, 2).with(SimDriver.Type.PROCESS),
                OPTIONS,
                List.of(job(2, Duration.ZERO)),
                List.of(new ClientAction.Submit(Duration.ofSeconds(2), 0)),
                List.of(
                    new Fault.CrashAtStart(
                        Duration.ofSeconds(1), "jobmanager-1", false, Duration.ofSeconds(2))),
                Duration.ofSeconds(20),
                List.of()));
    assertThat(outcome.effective()).containsKey("a worker found by a later JobManager");
  }

  /**
   * A worker was released as idle while the notice that its node was lost was in flight. The driver
   * ended no process there, the ResourceManager did not notify the worker, and it lived until its
   * heartbeat timeout.
   */
  @Test
  void releasedWorkerOnLostNodeIsNotified() {
    AtomicLong released = new AtomicLong();
    Trace trace =
        new Trace() {
          @Override
          protected void onDecision(Decision decision) {
            if (decision.entry().event() instanceof WorkerReleased) {
              released.compareAndSet(0, decision.nanos());
            }
          }
        };
    assertThat(ScenarioRun.of(losingNodes(List.of()), new SimWiring(), trace).violation())
        .isEmpty();
    assertThat(released.get()).isPositive();
    for (int millis = 1; millis < 40; millis++) {
      Duration lost = Duration.ofNanos(released.get()).minusMillis(millis);
      assertHolds(losingNodes(List.of(new Fault.NodeLoss(lost, 0))));
    }
  }

  /**
   * The node of a worker was lost when it had registered and had not reported its slots. The report
   * was accepted, and the job used slots of a worker that nobody counted: its replacement came
   * beside it.
   */
  @Test
  void workerOnLostNodeReportsNoSlotsAfterItsRegistration() {
    for (int seed = 0; seed < 40; seed++) {
      Scenario scenario =
          new Scenario(
              seed,
              ScenarioKind.ELASTIC,
              new Shape(1, true, 1, 1, 4),
              OPTIONS,
              List.of(job(2, Duration.ofSeconds(20))),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.NetworkDelay(
                      Duration.ofSeconds(1),
                      "jobmanager-1",
                      Duration.ofMillis(700),
                      Duration.ofSeconds(25)),
                  new Fault.NodeLoss(Duration.ofMillis(2_500 + 100L * seed), 0)),
              Duration.ofSeconds(60),
              List.of());
      assertThat(ScenarioRun.of(scenario, new SimWiring(), new Trace()).violation()).isEmpty();
    }
  }

  private static Scenario losingNodes(List<Fault> faults) {
    return new Scenario(
        1,
        ScenarioKind.ELASTIC,
        new Shape(1, true, 1, 2, 2),
        OPTIONS.with(ResourceManagerOptions.TASK_MANAGER_TIMEOUT, Duration.ofSeconds(5)),
        List.of(job(2, Duration.ofSeconds(3))),
        List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
        faults,
        Duration.ofSeconds(40),
        List.of());
  }
}
