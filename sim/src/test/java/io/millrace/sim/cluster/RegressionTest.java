package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static io.millrace.sim.cluster.RegressionScenarios.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimDriver.FailureRates;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.SimTokens;
import io.millrace.sim.Trace;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Scenarios of bugs that the simulator found. */
class RegressionTest {
  /**
   * The worker pool replaced a dead worker before it knew the demand, and cancelled the request at
   * once. Here the driver reports the end before the broken connection is noticed.
   */
  @Test
  void idleWorkerThatDiesIsNotReplaced() {
    assertHolds(
        new Scenario(
            82,
            ScenarioKind.ELASTIC,
            new Shape(1, true, 1, 2, 2),
            OPTIONS.with(ResourceManagerOptions.TASK_MANAGER_TIMEOUT, Duration.ofSeconds(30)),
            List.of(job(1, Duration.ofSeconds(3))),
            List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
            List.of(
                new Fault.NetworkDelay(
                    Duration.ofSeconds(19),
                    "elastic-1",
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(5)),
                new Fault.WorkerCrash(Duration.ofSeconds(20), 0)),
            Duration.ofSeconds(40),
            List.of()));
  }

  /**
   * A job was cancelled while its first worker registered: the worker was released, reported its
   * slots nevertheless, and another one was requested in its place. Messages of the worker are slow
   * here, so that there is time for it.
   */
  @Test
  void workerReleasedDuringRegistrationAddsNoSlots() {
    for (int millis = 0; millis < 2_000; millis += 20) {
      assertHolds(
          new Scenario(
              14,
              ScenarioKind.ELASTIC,
              new Shape(1, true, 1, 2, 2),
              OPTIONS,
              List.of(job(4, Duration.ofSeconds(3))),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Cancel(Duration.ofMillis(1_200 + millis), 0)),
              List.of(slow("elastic-1", 30), slow("elastic-2", 30)),
              Duration.ofSeconds(10),
              List.of()));
    }
  }

  private static Fault slow(String process, int millis) {
    return new Fault.NetworkDelay(
        Duration.ZERO, process, Duration.ofMillis(millis), Duration.ofSeconds(30));
  }

  /**
   * A JobManager that had been frozen dropped workers to which it had sent no heartbeat request.
   */
  @Test
  void frozenJobManagerDropsNoWorkerWithoutHeartbeatRequest() {
    for (int millis = 0; millis < 2_000; millis += 100) {
      assertHolds(frozen(List.of(), 14_000 + millis));
    }
  }

  /** The same if the answer arrived while it was frozen. */
  @Test
  void answerThatArrivedWhileJobManagerWasFrozenCounts() {
    List<Fault> slow = List.of(slow("elastic-1", 1_500), slow("elastic-2", 1_500));
    for (int millis = 0; millis < 2_000; millis += 100) {
      assertHolds(frozen(slow, 14_000 + millis));
    }
  }

  private static Scenario frozen(List<Fault> more, int at) {
    List<Fault> faults = new ArrayList<>(more);
    faults.add(new Fault.Freeze(Duration.ofMillis(at), "jobmanager-1", Duration.ofSeconds(9)));
    return new Scenario(
        159,
        ScenarioKind.ELASTIC,
        new Shape(1, true, 1, 2, 2),
        OPTIONS
            .with(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(2))
            .with(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofSeconds(8)),
        List.of(job(4, Duration.ZERO)),
        List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
        faults,
        Duration.ofSeconds(40),
        List.of());
  }

  /**
   * A ResourceManager did not learn from a dropped JobMaster that its job had ended: workers were
   * started for it for minutes. Here the two are in different processes and partitioned.
   */
  @Test
  @Behaviour(
      "D6: a JobMaster repeats the end of its job until the ResourceManager acknowledges it, also"
          + " after it was disconnected")
  void endOfJobOfDroppedJobMasterIsReported() {
    int apart = 0;
    for (int seed = 159; seed < 169; seed++) {
      Heard wiring = new Heard(JobMasterLeaves.class);
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(2, false, 1, 4, 1),
              OPTIONS
                  .with(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(2))
                  .with(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofSeconds(8)),
              List.of(job(4, Duration.ofSeconds(25))),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.Partition(
                      Duration.ofSeconds(3),
                      "jobmanager-1",
                      "jobmanager-2",
                      false,
                      Duration.ofSeconds(40))),
              Duration.ofSeconds(60),
              List.of()),
          wiring);
      apart += wiring.count;
    }
    assertThat(apart).as("sometimes the JobMaster and the ResourceManager are apart").isPositive();
  }

  /** Counts messages of a kind between two processes. */
  private static final class Heard extends SimWiring {
    private final Class<? extends Record> kind;
    private int count;

    Heard(Class<? extends Record> kind) {
      this.kind = kind;
    }

    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      count += envelope instanceof Envelope.Call call && kind.isInstance(call.message()) ? 1 : 0;
      return super.sends(from, to, envelope);
    }
  }

  /**
   * The second worker that a driver delivered for one request had no spec: the worker pool threw.
   */
  @Test
  @Behaviour("D8: a worker in excess of the requests is given back")
  void secondWorkerForSameRequestIsReleased() {
    assertHolds(
        new Scenario(
            139,
            ScenarioKind.ELASTIC,
            new Shape(1, true, 1, 2, 2),
            OPTIONS,
            List.of(job(3, Duration.ofSeconds(3))),
            List.of(new ClientAction.Submit(Duration.ofSeconds(2), 0)),
            List.of(
                new Fault.DriverFailure(
                    Duration.ofSeconds(1),
                    new FailureRates(Duration.ZERO, 0, 0, 0, 1, 0, 0, 0),
                    Duration.ofSeconds(30))),
            Duration.ofSeconds(40),
            List.of()));
  }

  /**
   * A JobMaster reported the end of its job once to a ResourceManager in another process. The
   * report was lost with the connection: the ended job kept its requirement for minutes and got
   * slots again and again.
   */
  @Test
  @Behaviour(
      "D6: a JobMaster repeats the end of its job until the ResourceManager acknowledges it, also"
          + " after it was disconnected")
  void lostReportOfJobEndIsRepeated() {
    int lost = 0;
    for (int seed = 1248; seed < 1258; seed++) {
      LosesFirst wiring = new LosesFirst(JobMasterLeaves.class);
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(2, false, 1, 3, 1),
              OPTIONS,
              List.of(job(1, Duration.ofSeconds(3))),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(),
              Duration.ofSeconds(20),
              List.of()),
          wiring);
      lost += wiring.lost;
    }
    assertThat(lost)
        .as("often enough the Dispatcher and the ResourceManager are apart")
        .isPositive();
  }

  /** The cancellation of a job was not stored: a restarted JobManager ran the job again. */
  @Test
  @Behaviour("C1: the next leader ends a cancelled job and does not run it again")
  void nextJobManagerDoesNotRunCancelledJob() {
    SimJob slow =
        new SimJob(
            job(2, Duration.ZERO).graph(),
            new SimTaskHost.Behaviour(Duration.ZERO, 0, Duration.ofSeconds(4)));
    for (int millis = 50; millis < 1_000; millis += 100) {
      assertHolds(
          new Scenario(
              3,
              ScenarioKind.JOBMANAGERS,
              new Shape(1, false, 1, 2, 1),
              OPTIONS,
              List.of(slow),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Cancel(Duration.ofSeconds(10), 0)),
              List.of(
                  new Fault.Crash(
                      Duration.ofMillis(10_000 + millis), "jobmanager-1", Duration.ofSeconds(1))),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * A driver never reported the end of a released worker: it counted for ever, and with a limit of
   * one no other worker was requested.
   */
  @Test
  @Behaviour(
      "D8: a released worker whose end is never reported counts as gone after"
          + " resourcemanager.taskmanager-release.timeout, with a warning")
  void workerWhoseEndIsNeverReportedIsReplaced() {
    RunOutcome outcome =
        assertHolds(
            new Scenario(
                4,
                ScenarioKind.ELASTIC,
                new Shape(1, true, 1, 2, 1),
                OPTIONS,
                List.of(job(2, Duration.ZERO)),
                List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
                List.of(
                    new Fault.DriverFailure(
                        Duration.ofSeconds(15),
                        new FailureRates(Duration.ZERO, 0, 0, 0, 0, 0, 0, 1),
                        Duration.ofSeconds(10)),
                    new Fault.WorkerCrash(Duration.ofSeconds(20), 0)),
                Duration.ofSeconds(40),
                List.of()));

    assertThat(outcome.effective()).containsKey("an end never told");
  }

  /**
   * A former Dispatcher that had not noticed its revocation accepted and acknowledged a job or its
   * cancellation: its successor had read the store before and did not know it.
   */
  @Test
  @Behaviour(
      "G1: a former leader that does not know its successor acknowledges neither a job nor a"
          + " cancellation")
  void formerLeaderAcknowledgesNothingUnknownToItsSuccessor() {
    for (int seed = 0; seed < 40; seed++) {
      String process = "jobmanager-" + (1 + seed % 2);
      Duration act = Duration.ofMillis(5_300 + 100 * seed);
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.JOBMANAGERS,
              new Shape(2, false, 2, 2, 1),
              OPTIONS,
              List.of(job(1, Duration.ZERO), job(2, Duration.ZERO)),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Submit(act, 1),
                  new ClientAction.Cancel(act, 0)),
              List.of(
                  new Fault.LeaderNotificationDelay(
                      Duration.ofSeconds(4), Duration.ofSeconds(8), Duration.ofSeconds(20)),
                  new Fault.SessionLoss(Duration.ofSeconds(5), process, Duration.ofSeconds(10))),
              Duration.ofSeconds(40),
              List.of()));
    }
  }

  /**
   * A token with a lifetime of seconds was not renewed for a minute after a failed renewal,
   * although its service worked again long before.
   */
  @Test
  @Behaviour(
      "B5: a failed renewal is retried within the life of the token, also of a short-lived one")
  void shortLivedTokenIsRenewedSoonAfterItsServiceWorksAgain() {
    assertHolds(
        new Scenario(
            57,
            ScenarioKind.WORKERS,
            new Shape(1, false, 1, 1, 1, Duration.ofSeconds(24)),
            OPTIONS,
            List.of(),
            List.of(),
            List.of(
                new Fault.TokenServiceFailure(
                    Duration.ofSeconds(40), SimTokens.FailureMode.FAILING, Duration.ofSeconds(25))),
            Duration.ofSeconds(60),
            List.of()));
  }

  /**
   * A JobManager died after it had stored the result of a job and before it had reported the end to
   * the ResourceManager of another process: its successor knew the result and did not report it
   * either.
   */
  @Test
  @Behaviour(
      "D6: the next leader of a job reports its end if the JobMaster dies before the"
          + " ResourceManager hears it")
  void successorOfDeadLeaderReportsEndOfJob() {
    int lost = 0;
    for (int seed = 1056; seed < 1072; seed++) {
      LosesFirst wiring = new LosesFirst(JobMasterLeaves.class);
      ScenarioRun.of(
          new Scenario(
              seed,
              ScenarioKind.JOBMANAGERS,
              new Shape(2, false, 1, 3, 1),
              OPTIONS,
              List.of(job(1, Duration.ofSeconds(6))),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(),
              Duration.ofSeconds(20),
              List.of()),
          wiring,
          new Trace());
      if (wiring.lost == 0) {
        continue;
      }
      lost++;
      for (String process : List.of("jobmanager-1", "jobmanager-2")) {
        RunOutcome outcome =
            ScenarioRun.of(
                new Scenario(
                    seed,
                    ScenarioKind.JOBMANAGERS,
                    new Shape(2, false, 1, 3, 1),
                    OPTIONS,
                    List.of(job(1, Duration.ofSeconds(6))),
                    List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
                    List.of(
                        new Fault.CrashAtWrite(
                            Duration.ofMillis(1_500), process, false, Duration.ofSeconds(1))),
                    Duration.ofSeconds(20),
                    List.of()),
                new LosesFirst(JobMasterLeaves.class),
                new Trace());
        assertThat(outcome.violation()).isEmpty();
      }
    }
    assertThat(lost)
        .as("often enough the Dispatcher and the ResourceManager are apart")
        .isPositive();
  }

  /**
   * A submission that was stored with an unclear outcome was repeated. A cancellation in between
   * was stored and acknowledged, and the job ran nevertheless.
   */
  @Test
  void repeatedSubmissionKeepsCancellation() {
    for (int step = 0; step < 20; step++) {
      assertHolds(
          new Scenario(
              step,
              ScenarioKind.STORAGE,
              new Shape(1, false, 1, 2, 1),
              OPTIONS,
              List.of(job(2, Duration.ofSeconds(3))),
              List.of(
                  new ClientAction.Submit(Duration.ofMillis(1_500), 0),
                  new ClientAction.Cancel(Duration.ofMillis(1_600 + 50 * step), 0)),
              List.of(
                  new Fault.SlowStorage(
                      Duration.ofMillis(100),
                      "jobmanager-1",
                      Duration.ofMillis(480),
                      Duration.ofSeconds(6)),
                  new Fault.StorageFailure(
                      Duration.ofMillis(600),
                      "jobmanager-1",
                      SimStore.FailureMode.OUTCOME_UNKNOWN,
                      Duration.ofMillis(1_750))),
              Duration.ofSeconds(20),
              List.of()));
    }
  }

  /**
   * A JobManager died between storing the result of a job and archiving it. The next one returned
   * the little that it knew, and the one after that still less.
   */
  @Test
  void incompleteDetailsOfEndedJobStayTheSame() {
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.JOBMANAGERS,
              new Shape(1, false, 1, 1, 1),
              OPTIONS,
              List.of(job(1, Duration.ofSeconds(4))),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.AwaitResult(Duration.ofSeconds(2), 0),
                  new ClientAction.Describe(Duration.ofSeconds(9), 0),
                  new ClientAction.Describe(Duration.ofSeconds(15), 0)),
              List.of(
                  new Fault.CrashAtWrite(
                      Duration.ofMillis(1_500), "jobmanager-1", false, Duration.ofSeconds(1)),
                  new Fault.Crash(Duration.ofSeconds(11), "jobmanager-1", Duration.ofSeconds(1))),
              Duration.ofSeconds(25),
              List.of()));
    }
  }

  /** Loses the first message of a kind between two processes. */
  private static final class LosesFirst extends SimWiring {
    private final Class<? extends Record> kind;
    private int lost;

    LosesFirst(Class<? extends Record> kind) {
      this.kind = kind;
    }

    @Override
    public List<Envelope> sends(String from, String to, Envelope envelope) {
      if (lost == 0 && envelope instanceof Envelope.Call call && kind.isInstance(call.message())) {
        lost++;
        return List.of();
      }
      return super.sends(from, to, envelope);
    }
  }

  /**
   * The tasks of a job finished one after the other. The rule on surplus slots took those that were
   * unneeded for a moment, one after the other, for one that was never returned.
   */
  @Test
  void slotsOfTasksThatFinishInTurnAreReturnedInTurn() {
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.CALM,
              new Shape(1, false, 2, 4, 1),
              OPTIONS.with(JobManagerOptions.SLOT_IDLE_TIMEOUT, Duration.ofSeconds(3)),
              List.of(job(8, Duration.ofSeconds(15))),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * Not a bug: each slot that does not fit a worker of the default size gets a worker of its own,
   * also after workers and the JobManager have died, and all of them end when their jobs have
   * ended.
   */
  @Test
  @Behaviour(
      "D8: a declared profile that does not fit a default worker gets a worker of the exact size")
  void everyJobGetsWorkersOfItsSizeAndAllOfThemEnd() {
    RunOutcome outcome =
        assertHolds(
            new Scenario(
                5,
                ScenarioKind.ELASTIC,
                new Shape(1, true, 1, 2, 4),
                OPTIONS,
                List.of(sized(2, 2.5), job(2, Duration.ZERO)),
                List.of(
                    new ClientAction.Submit(Duration.ofSeconds(1), 0),
                    new ClientAction.Submit(Duration.ofSeconds(2), 1)),
                List.of(
                    new Fault.WorkerCrash(Duration.ofSeconds(12), 0),
                    new Fault.WorkerCrash(Duration.ofSeconds(13), 1),
                    new Fault.Crash(Duration.ofSeconds(25), "jobmanager-1", Duration.ofSeconds(2)),
                    new Fault.WorkerCrash(Duration.ofSeconds(40), 0)),
                Duration.ofSeconds(60),
                List.of()));

    assertThat(outcome.effective())
        .containsKeys("a larger worker lost", "a larger worker of an earlier JobManager");
  }

  private static SimJob sized(int parallelism, double cores) {
    return job(
        parallelism, Duration.ZERO, Map.of("default", new ResourceProfile(cores, 0, 0, 0, 0)));
  }
}
