package io.millrace.sim.cluster;

import static io.millrace.sim.cluster.RegressionScenarios.OPTIONS;
import static io.millrace.sim.cluster.RegressionScenarios.assertHolds;
import static io.millrace.sim.cluster.RegressionScenarios.job;

import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.Scenario;
import io.millrace.sim.scenario.Scenario.Shape;
import io.millrace.sim.scenario.ScenarioKind;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Scenarios of bugs that the simulator found only within some 20,000 seeds. */
class NightlyRegressionTest {
  /**
   * A partitioned worker lost the leader of its job, cancelled its tasks and registered again. The
   * leader had not noticed, and deployed into a slot in which the earlier tasks were still ending.
   */
  @Test
  @Behaviour("E4: no task is deployed into a slot while tasks of an earlier session end there")
  void partitionedLeaderDoesNotDeployIntoSlotWithEndingTasks() {
    SimJob slow =
        new SimJob(
            job(2, Duration.ZERO).graph(),
            new SimTaskHost.Behaviour(Duration.ZERO, 0, Duration.ofSeconds(4)));
    for (int millis = 20_000; millis < 26_000; millis += 200) {
      assertHolds(
          new Scenario(
              millis,
              ScenarioKind.NETWORK,
              new Shape(1, false, 2, 1, 1),
              OPTIONS,
              List.of(slow),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.Isolate(
                      Duration.ofMillis(30_000), "worker-1", Duration.ofMillis(millis))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * A worker had dropped its frozen ResourceManager. When the ResourceManager continued, it
   * requested three slots of the worker, and another worker as soon as the first request was
   * refused.
   */
  @Test
  @Behaviour(
      "D4: a TaskManager that has given up its registration has no slots until it registers anew")
  void workerThatDroppedItsRegistrationIsExpectedToRegisterAgain() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.ELASTIC,
              new Shape(1, true, 1, 3, 4),
              OPTIONS
                  .with(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(2))
                  .with(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofSeconds(8))
                  .with(ResourceManagerOptions.TASK_MANAGER_TIMEOUT, Duration.ofMinutes(1)),
              List.of(job(1, Duration.ofSeconds(3)), job(3, Duration.ofSeconds(3))),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Submit(Duration.ofSeconds(27), 1)),
              List.of(
                  new Fault.NetworkDelay(
                      Duration.ofSeconds(10),
                      "elastic-1",
                      Duration.ofMillis(40),
                      Duration.ofSeconds(40)),
                  new Fault.Freeze(Duration.ofSeconds(15), "jobmanager-1", Duration.ofSeconds(22))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * A deployment was both lost and repeated: it arrived for the first time when the JobMaster had
   * given it up and had used its slot for the next one. No connection reorders calls like that.
   */
  @Test
  void lostDeploymentIsNotRepeated() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(1, false, 2, 1, 1),
              OPTIONS
                  .with(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(1))
                  .with(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofSeconds(8)),
              List.of(job(2, Duration.ZERO)),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.CallFault(
                      Duration.ofMillis(950),
                      Fault.CallFault.Call.DEPLOYMENT,
                      Fault.CallFault.Effect.DUPLICATED,
                      Duration.ofMillis(11_400)),
                  new Fault.MessageLoss(Duration.ofMillis(1_000), 0.3, Duration.ofSeconds(6))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * After a restart the spare worker registered first and was allocated to the job, which got its
   * old slots back a moment later. Another spare was requested before the job had returned the new
   * slots.
   */
  @Test
  @Behaviour("D7: slots that a job is about to return count as spares")
  void slotsThatJobIsAboutToReturnCountAsSpares() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.ELASTIC,
              new Shape(1, true, 1, 2, 4),
              OPTIONS.with(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM, 1),
              List.of(job(2, Duration.ZERO)),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.Crash(Duration.ofSeconds(20), "jobmanager-1", Duration.ofSeconds(4))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * A job failed with its worker. Its slots had been requested of the spare at the same time. When
   * the dead worker was removed, another spare was requested although no slot was in use.
   */
  @Test
  void spareAllocatedToFailedJobIsNotReplaced() {
    for (int seed = 0; seed < 20; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.MIXED,
              new Shape(1, true, 1, 3, 2),
              OPTIONS
                  .with(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM, 1)
                  .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.NONE),
              List.of(job(3, Duration.ZERO)),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(new Fault.WorkerCrash(Duration.ofSeconds(20), 0)),
              Duration.ofSeconds(40),
              List.of()));
    }
  }

  /**
   * An invariant that was too strict: a ResourceManager requested a replacement of a dead worker
   * before the end of the failed job could arrive.
   */
  @Test
  void jobCountsUntilItsEndCanHaveArrived() {
    for (int seed = 0; seed < 20; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.ELASTIC,
              new Shape(2, true, 1, 2, 1),
              OPTIONS.with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.NONE),
              List.of(job(2, Duration.ZERO)),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(new Fault.WorkerCrash(Duration.ofSeconds(10), 0)),
              Duration.ofSeconds(30),
              List.of()));
    }
  }

  /**
   * A heartbeat answer arrived later than heartbeat.timeout after its request, shortly before its
   * worker was taken for lost. The rule on timeouts counted it, although the call was given up.
   */
  @Test
  void heartbeatAnswerAfterTimeoutDoesNotCount() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(1, false, 1, 1, 1),
              OPTIONS
                  .with(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(2))
                  .with(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofSeconds(8)),
              List.of(),
              List.of(),
              List.of(
                  new Fault.SlowHeartbeats(
                      Duration.ofSeconds(11),
                      "worker-1",
                      Duration.ofMillis(3_240),
                      Duration.ofSeconds(25)),
                  new Fault.Isolate(
                      Duration.ofMillis(20_000 + 100L * seed),
                      "worker-1",
                      Duration.ofMillis(3_320))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * Heartbeat answers that took longer than rpc.ask-timeout were dropped, and a worker whose
   * answers had arrived was taken for lost.
   */
  @Test
  @Behaviour(
      "E2: an answer to a heartbeat counts until heartbeat.timeout, independent of the time-out of"
          + " other calls")
  void lateHeartbeatAnswerCounts() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(1, false, 2, 3, 1),
              OPTIONS,
              List.of(),
              List.of(),
              List.of(
                  new Fault.Partition(
                      Duration.ofMillis(16_254),
                      "worker-2",
                      "jobmanager-1",
                      true,
                      Duration.ofMillis(44_417)),
                  new Fault.Partition(
                      Duration.ofMillis(36_664),
                      "worker-2",
                      "jobmanager-1",
                      false,
                      Duration.ofMillis(28_997))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * A former ResourceManager that had not noticed its revocation acknowledged a limit that its
   * successor did not know; nor did a restarted JobManager.
   */
  @Test
  @Behaviour(
      "D7: a changed maximum holds for later leaders until the configuration changes; a former"
          + " leader cannot change it")
  void acknowledgedLimitHoldsForAllLaterLeaders() {
    for (int seed = 0; seed < 30; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.ELASTIC,
              new Shape(2, true, 1, 1, 4),
              OPTIONS,
              List.of(job(5, Duration.ofSeconds(3))),
              List.of(
                  new ClientAction.Limit(Duration.ofMillis(5_000 + 50L * seed), 3),
                  new ClientAction.Submit(Duration.ofSeconds(8), 0)),
              List.of(
                  new Fault.Freeze(Duration.ofSeconds(2), "jobmanager-1", Duration.ofSeconds(4)),
                  new Fault.Crash(
                      Duration.ofSeconds(7), "jobmanager-2", Duration.ofMillis(seed * 100L))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * A check at the wrong time: a job returned a slot after the ResourceManager had answered and
   * before the answer was compared with the actual state.
   */
  @Test
  void slotReturnedDuringCheckIsNoDisagreement() {
    SimJob job =
        new SimJob(
            job(3, Duration.ZERO).graph(),
            new SimTaskHost.Behaviour(Duration.ZERO, 0, Duration.ofMillis(500)));
    for (int millis = 24_500; millis < 24_900; millis += 5) {
      assertHolds(
          new Scenario(
              millis,
              ScenarioKind.NETWORK,
              new Shape(1, false, 2, 3, 1),
              OPTIONS,
              List.of(job),
              List.of(new ClientAction.Submit(Duration.ofMillis(21_760), 0)),
              List.of(
                  new Fault.ConnectionBreak(Duration.ofMillis(millis), "worker-1", "jobmanager-1"),
                  new Fault.Partition(
                      Duration.ofMillis(42_799),
                      "worker-2",
                      "jobmanager-1",
                      true,
                      Duration.ofMillis(13_378))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * An idle spare used up the limit: a job that needed a larger worker waited for five minutes and
   * failed with the limit as its reason.
   */
  @Test
  @Behaviour(
      "D7: idle workers and spares are released for a worker of another size where limits leave no"
          + " room; the configured minimum stays")
  void spareIsReleasedForWorkerThatJobNeeds() {
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.ELASTIC,
              new Shape(1, true, 1, 1, 3),
              OPTIONS.with(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM, 1),
              List.of(
                  job(2, Duration.ZERO),
                  job(1, Duration.ZERO, Map.of("default", new ResourceProfile(1.25, 0, 0, 0, 0)))),
              List.of(
                  new ClientAction.Submit(Duration.ofSeconds(1), 0),
                  new ClientAction.Submit(Duration.ofSeconds(20), 1)),
              List.of(),
              Duration.ofSeconds(40),
              List.of()));
    }
  }

  /**
   * A repeated registration was taken for a newer attempt. The worker was refused and paused, so
   * that it did not learn that its driver had reported it as ended.
   */
  @Test
  @Behaviour("D3: a repeated registration gets the answer of the attempt it repeats")
  void repeatedRegistrationIsNotRefused() {
    for (int seed = 0; seed < 10; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.ELASTIC,
              new Shape(1, true, 1, 2, 2),
              OPTIONS,
              List.of(job(2, Duration.ZERO)),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.DuplicateCalls(Duration.ZERO, 1, Duration.ofSeconds(30)),
                  new Fault.NodeLoss(Duration.ofSeconds(8), 0)),
              Duration.ofSeconds(40),
              List.of()));
    }
  }

  /**
   * A partitioned worker freed the slots of its job and returned before the heartbeat timeout of
   * its JobMaster. The JobMaster kept the former slots and deployed into them for ever.
   */
  @Test
  void slotsFreedDuringPartitionAreNotDeployedTo() {
    for (int millis = 28_000; millis < 34_000; millis += 200) {
      assertHolds(
          new Scenario(
              millis,
              ScenarioKind.NETWORK,
              new Shape(1, false, 2, 2, 1),
              OPTIONS,
              List.of(job(3, Duration.ZERO)),
              List.of(new ClientAction.Submit(Duration.ofMillis(280), 0)),
              List.of(
                  new Fault.Isolate(
                      Duration.ofMillis(18_170), "jobmanager-1", Duration.ofMillis(millis))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * After a partition a heartbeat arrived before the answer to a slot request and had the slot. The
   * time without new slots began with the heartbeat.
   */
  @Test
  void slotThatAHeartbeatShowsFirstHasComeWithIt() {
    for (int seed = 0; seed < 40; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.NETWORK,
              new Shape(1, false, 1, 1, 1),
              OPTIONS
                  .with(JobManagerOptions.SLOT_REQUEST_TIMEOUT, Duration.ofSeconds(30))
                  .with(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(2)),
              List.of(job(2, Duration.ZERO)),
              List.of(new ClientAction.Submit(Duration.ofMillis(30_004), 0)),
              List.of(
                  new Fault.Partition(
                      Duration.ofSeconds(30),
                      "worker-1",
                      "jobmanager-1",
                      true,
                      Duration.ofSeconds(9))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }

  /**
   * The slots of a job were of two sizes. A large one was idle, because its task had finished, when
   * the worker with the small one was lost. The request for a small slot got the large one and kept
   * it when the job restarted, for which another large worker was requested.
   */
  @Test
  void restartedJobRequestsNoWorkerForASlotThatItHas() {
    Map<String, ResourceProfile> resources =
        Map.of(
            "default",
            new ResourceProfile(3.25, 0, 0, 0, 0),
            "last",
            new ResourceProfile(0.25, 0, 0, 0, 0));
    JobVertex first = job(1, Duration.ZERO).graph().vertices().get(0);
    JobVertex last = job(2, Duration.ZERO).graph().vertices().get(0);
    JobGraph graph =
        new JobGraph(
                job(1, Duration.ZERO).graph().id(),
                "job",
                JobType.STREAMING,
                List.of(first, new JobVertex(last.id(), "last", 2, 128, "last", last.operators())),
                List.of(
                    new JobEdge(0, first.id(), 0, last.id(), 0, Partitioning.HASH, Bytes.EMPTY)),
                List.of(),
                Configuration.EMPTY)
            .withResources(resources);
    for (int seed = 0; seed < 100; seed++) {
      assertHolds(
          new Scenario(
              seed,
              ScenarioKind.ELASTIC,
              new Shape(1, true, 1, 3, 4),
              OPTIONS.with(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM, 1),
              List.of(
                  new SimJob(
                      graph,
                      new SimTaskHost.Behaviour(Duration.ofSeconds(5), 0, Duration.ofMillis(50)))),
              List.of(new ClientAction.Submit(Duration.ofSeconds(1), 0)),
              List.of(
                  new Fault.Freeze(
                      Duration.ofMillis(4_500), "jobmanager-1", Duration.ofSeconds(27))),
              Duration.ofSeconds(60),
              List.of()));
    }
  }
}
