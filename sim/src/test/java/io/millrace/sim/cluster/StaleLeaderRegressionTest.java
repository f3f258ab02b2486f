package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static io.millrace.sim.cluster.RegressionScenarios.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sim.SimTaskHost;
import io.millrace.sim.Trace;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Scenarios of bugs that the simulator found with former leaders that act beside their successors.
 */
class StaleLeaderRegressionTest {
  /**
   * A worker acknowledged the deployment of a former leader, whose tasks it had dropped while their
   * code was loading, when it already followed another leader.
   */
  @Test
  void deploymentOfFormerLeaderIsNotAcknowledged() {
    for (int seed = 0; seed < 200; seed++) {
      int millis = seed % 50 * 2;
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.JOBMANAGERS,
              new Shape(2, false, 2, 2, 1),
              OPTIONS,
              List.of(job(2, Duration.ZERO)),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.SlowStorage(
                      Duration.ofMillis(900),
                      "jobmanager-1",
                      Duration.ofMillis(200),
                      Duration.ofSeconds(5)),
                  new Fault.SlowStorage(
                      Duration.ofMillis(900),
                      "jobmanager-2",
                      Duration.ofMillis(30),
                      Duration.ofSeconds(5)),
                  new Fault.SessionLoss(
                      Duration.ofMillis(1_000 + millis), "jobmanager-1", Duration.ofSeconds(5))),
              Duration.ofSeconds(20),
              List.of()));
    }
  }

  /**
   * A Dispatcher that waited for its last write before its end answered a submission that was
   * stored meanwhile, and started a JobMaster which nobody would have stopped.
   */
  @Test
  void dispatcherThatStopsAcceptsNoSubmission() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.JOBMANAGERS,
              new Shape(1, false, 1, 3, 1),
              OPTIONS,
              List.of(job(1, Duration.ofSeconds(1)), job(2, Duration.ZERO)),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Submit(Duration.ofMillis(1_600 + 75L * seed), 1)),
              List.of(
                  new Fault.CallFault(
                      Duration.ofMillis(900),
                      Fault.CallFault.Call.JOB_END,
                      Fault.CallFault.Effect.SENDER_REPLACED,
                      Duration.ofMillis(3_600)),
                  new Fault.LeaderNotificationDelay(
                      Duration.ofMillis(1_200), Duration.ofSeconds(8), Duration.ofSeconds(15))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * A replaced Dispatcher refused a submission and removed the graph that its successor had just
   * accepted.
   */
  @Test
  void replacedLeaderRemovesNoGraphOfItsSuccessor() {
    for (int seed = 0; seed < 30; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(2, false, 1, 2, 1),
              OPTIONS,
              List.of(job(2, Duration.ZERO)),
              List.of(
                  new ClientAction.Submit(Duration.ofMillis(27_642), 0),
                  new ClientAction.Submit(Duration.ofMillis(27_643), 0)),
              List.of(
                  new Fault.StaleWrite(
                      Duration.ofMillis(27_641),
                      Fault.StaleWrite.Moment.SUBMISSION,
                      Duration.ofMillis(2_711),
                      Duration.ofMillis(2_517))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * A Dispatcher lost its leadership while it archived a job. Its write reached the archive after
   * the next Dispatcher of the same process had archived the job, and the third one returned the
   * earlier entry.
   */
  @Test
  void archiveEntryOfEarlierTermDoesNotReplaceNextOne() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.JOBMANAGERS,
              new Shape(1, false, 1, 1, 1),
              OPTIONS,
              List.of(job(1, Duration.ofMillis(200))),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.AwaitResult(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.StaleWrite(
                      Duration.ofMillis(900),
                      Fault.StaleWrite.Moment.END,
                      Duration.ofSeconds(3),
                      Duration.ofSeconds(8)),
                  new Fault.SessionLoss(
                      Duration.ofSeconds(20), "jobmanager-1", Duration.ofMillis(100))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * A Dispatcher that had found an ended job answered with its own journal, until it had read what
   * its predecessor had archived.
   */
  @Test
  void successorShowsNothingElseBeforeItHasReadTheArchive() {
    for (int seed = 0; seed < 60; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.JOBMANAGERS,
              new Shape(2, false, 1, 1, 1),
              OPTIONS,
              List.of(job(1, Duration.ofMillis(200))),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.AwaitResult(Duration.ofMillis(1_100), 0)),
              List.of(
                  new Fault.LeaderNotificationDelay(
                      Duration.ofMillis(900), Duration.ofMillis(700), Duration.ofSeconds(5)),
                  new Fault.SlowStorage(
                      Duration.ofMillis(900),
                      "jobmanager-1",
                      Duration.ofMillis(300),
                      Duration.ofSeconds(10)),
                  new Fault.SlowStorage(
                      Duration.ofMillis(900),
                      "jobmanager-2",
                      Duration.ofMillis(300),
                      Duration.ofSeconds(10)),
                  new Fault.StaleWrite(
                      Duration.ofMillis(900),
                      Fault.StaleWrite.Moment.END,
                      Duration.ofSeconds(3),
                      Duration.ofMillis(500))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * A ResourceManager that did not know yet that it was replaced lost its connection to a worker,
   * released it and rejected its next registration. The worker ends, although the driver does not
   * serve that ResourceManager any more.
   */
  @Test
  void workerEndsThatReplacedResourceManagerHasReleased() {
    for (int seed = 0; seed < 20; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.MIXED,
              new Shape(2, true, 1, 2, 1),
              OPTIONS,
              List.of(job(2, Duration.ofMillis(200))),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.StaleWrite(
                      Duration.ofMillis(900),
                      Fault.StaleWrite.Moment.END,
                      Duration.ofSeconds(3),
                      Duration.ofMillis(100)),
                  new Fault.CallFault(
                      Duration.ofMillis(900),
                      Fault.CallFault.Call.JOB_END,
                      Fault.CallFault.Effect.CONNECTION_LOST,
                      Duration.ofSeconds(4))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * A leader cancelled tasks for a user while its predecessor still acted. Both lost the worker of
   * these tasks, and the rule on restarts took the cancellation for one of the predecessor.
   */
  @Test
  void cancellationOfSuccessorIsNoPartOfRestart() {
    SimJob job = job(4, Duration.ZERO);
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(2, false, 3, 2, 1),
              OPTIONS,
              List.of(
                  new SimJob(
                      job.graph(),
                      new SimTaskHost.Behaviour(Duration.ZERO, 0, Duration.ofSeconds(5)))),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Cancel(Duration.ofSeconds(14), 0)),
              List.of(
                  new Fault.Crash(Duration.ofSeconds(5), "worker-1", Duration.ofSeconds(1)),
                  new Fault.SessionLoss(
                      Duration.ofSeconds(10), "jobmanager-1", Duration.ofSeconds(8)),
                  new Fault.Crash(Duration.ofSeconds(15), "worker-2", Duration.ofSeconds(2))),
              Duration.ofSeconds(40),
              List.of()));
    }
  }

  /**
   * The report of a job's end was lost, and the process of its JobMaster ended before the next
   * attempt. Another process led the ResourceManager, which requested slots for the ended job until
   * resourcemanager.job.timeout.
   */
  @Test
  void endedJobGetsNoSlotsIfNobodyCanReportItsEnd() {
    int lost = 0;
    for (int seed = 0; seed < 30; seed++) {
      Fault report =
          new Fault.CallFault(
              Duration.ofMillis(900),
              Fault.CallFault.Call.JOB_END_REPORT,
              Fault.CallFault.Effect.CALL_LOST,
              Duration.ZERO);
      RunOutcome outcome =
          ScenarioRun.of(
              new Scenario(
                  seed,
                  ScenarioKind.JOBMANAGERS,
                  new Shape(3, false, 2, 1, 1),
                  OPTIONS,
                  List.of(job(2, Duration.ofSeconds(3))),
                  List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
                  List.of(
                      report,
                      new Fault.Crash(
                          Duration.ofSeconds(7),
                          "jobmanager-" + (1 + seed % 3),
                          Duration.ofSeconds(5))),
                  Duration.ofSeconds(20),
                  List.of()),
              new SimWiring(),
              new Trace());
      assertThat(outcome.violation()).as("seed %d", seed).isEmpty();
      lost += outcome.effective().getOrDefault(report.kind(), 0);
    }
    assertThat(lost).isPositive();
  }
}
