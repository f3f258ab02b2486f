package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_WORKER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.deployTasks;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.edge;
import static io.millrace.sim.check.Samples.execution;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;
import static io.millrace.sim.check.Samples.vertex;

import io.millrace.graph.JobGraph;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.journal.JobMasterEvent.TasksDeployed;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Envelope;
import io.millrace.task.Placement;
import io.millrace.task.TaskSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptRulesTest {
  private static final long NUMBER = deployment(1, 1);

  @Test
  void executionIsDeployedOnce() {
    RuleTrace trace = new RuleTrace(new AttemptRules.ExecutionsAreDeployedOnce());
    trace.plan(graph(1, 2));
    SimulatedWorld.Worker one = trace.worker(WORKER, 2);
    SimulatedWorld.Worker other = trace.worker(OTHER_WORKER, 2);
    trace.deploys(one, graph(1, 2), NUMBER, task(0, 0, 1));
    trace.deploys(one, graph(1, 2), NUMBER, task(0, 1, 2));
    trace
        .isBrokenBy(() -> trace.deploys(other, graph(1, 2), NUMBER, task(0, 0, 1)))
        .hasMessageContaining("was deployed on " + WORKER + " and on " + OTHER_WORKER);
  }

  @Test
  void nextAttemptFollowsTheEndOfTheLast() {
    RuleTrace trace = new RuleTrace(new AttemptRules.OneAttemptPerSubtask());
    trace.plan(graph(1, 2)).plan(graph(2, 2));
    SimulatedWorld.Worker one = trace.worker(WORKER, 2);
    SimulatedWorld.Worker other = trace.worker(OTHER_WORKER, 2);
    trace.deploys(one, graph(1, 2), NUMBER, task(0, 0, 1));
    trace.deploys(other, graph(1, 2), NUMBER, task(1, 0, 2));
    trace.deploys(other, graph(2, 2), NUMBER, task(0, 0, 3));
    trace
        .isBrokenBy(() -> trace.deploys(other, graph(1, 2), NUMBER, task(0, 1, 4)))
        .hasMessageContaining("while");
    one.host().cancel(execution(1));
    trace.passes(Duration.ofSeconds(1));
    trace.deploys(other, graph(1, 2), NUMBER, task(0, 1, 5));
  }

  @Test
  void twoAttemptsMayRunIfAWorkerIsUnreachable() {
    RuleTrace trace = new RuleTrace(new AttemptRules.OneAttemptPerSubtask()).unreachable();
    trace.plan(graph(1, 1));
    trace.deploys(trace.worker(WORKER, 1), graph(1, 1), NUMBER, task(0, 0, 1));
    trace.deploys(trace.worker(OTHER_WORKER, 1), graph(1, 1), NUMBER, task(0, 1, 2));
  }

  private static RuleTrace atomic(JobGraph graph) {
    return new RuleTrace(new AttemptRules.DeploymentsAreAtomic()).plan(graph);
  }

  private static Envelope.Call sends(RuleTrace trace, String worker, TaskSpec... tasks) {
    return trace.sends(JOB_MANAGER, worker, deployTasks(JOB, token(1), NUMBER, tasks));
  }

  @Test
  void workerThatAcknowledgesHasStartedAllTasks() {
    RuleTrace trace = atomic(graph(1, 2));
    SimulatedWorld.Worker worker = trace.worker(WORKER, 2);
    Envelope.Call whole = sends(trace, WORKER, task(0, 0, 1), task(1, 0, 2));
    trace.deploys(worker, graph(1, 2), NUMBER, task(0, 0, 1));
    trace
        .isBrokenBy(() -> trace.answers(WORKER, JOB_MANAGER, whole, new Acknowledge()))
        .hasMessageContaining("acknowledges 2 tasks");
    Envelope.Call again = sends(trace, WORKER, task(0, 0, 1), task(1, 0, 2));
    trace.deploys(worker, graph(1, 2), NUMBER, task(1, 0, 2));
    trace.answers(WORKER, JOB_MANAGER, again, new Acknowledge());
  }

  @Test
  void workerThatRefusesHasStartedNoTask() {
    RuleTrace trace = atomic(graph(1, 2));
    SimulatedWorld.Worker worker = trace.worker(WORKER, 2);
    trace.refuses(WORKER, JOB_MANAGER, sends(trace, WORKER, task(0, 0, 1)));
    Envelope.Call call = sends(trace, WORKER, task(1, 0, 2));
    trace.deploys(worker, graph(1, 2), NUMBER, task(1, 0, 2));
    trace
        .isBrokenBy(() -> trace.refuses(WORKER, JOB_MANAGER, call))
        .hasMessageContaining("refuses 1 tasks");
  }

  @Test
  void cancelledTaskNeedNotStart() {
    RuleTrace trace = atomic(graph(1, 1));
    trace.worker(WORKER, 1);
    Envelope.Call call = sends(trace, WORKER, task(0, 0, 1));
    trace.arrives(
        JOB_MANAGER,
        WORKER,
        trace.sends(JOB_MANAGER, WORKER, new CancelTasks(JOB, token(1), List.of(execution(1)))));
    trace.answers(WORKER, JOB_MANAGER, call, new Acknowledge());
  }

  @Test
  void jobMasterSendsAllTasksThatItDecidesToDeploy() {
    RuleTrace trace = atomic(graph(1, 2));
    sends(trace, WORKER, task(0, 0, 1));
    sends(trace, OTHER_WORKER, task(1, 0, 2));
    trace.decides(JOB_MANAGER, JOB, new TasksDeployed(2, 2));
    trace.passes(Duration.ZERO);

    sends(trace, WORKER, task(0, 1, 3));
    trace.decides(JOB_MANAGER, JOB, new TasksDeployed(2, 2));
    trace
        .isBrokenBy(() -> trace.passes(Duration.ZERO))
        .hasMessage("2 tasks had to be deployed, and 1 were sent");
  }

  @Test
  void noMessageNeedsToLeaveForAnUnreachableWorker() {
    RuleTrace trace = atomic(graph(1, 2)).unreachable();
    sends(trace, WORKER, task(0, 0, 1));
    trace.decides(JOB_MANAGER, JOB, new TasksDeployed(2, 2));
    trace.passes(Duration.ZERO);
  }

  /** Of a source and a target of two subtasks, one source and one target are deployed. */
  @ParameterizedTest
  @CsvSource({
    "FORWARD, 0, true",
    "FORWARD, 1, false",
    "RESCALE, 0, true",
    "RESCALE, 1, false",
    "HASH, 0, false",
    "REBALANCE, 0, false",
    "BROADCAST, 1, false"
  })
  void subtasksThatExchangeRecordsAreDeployedTogether(
      Partitioning partitioning, int target, boolean allowed) {
    RuleTrace trace =
        atomic(graph(JOB, List.of(vertex(1, 2), vertex(2, 2)), List.of(edge(1, 2, partitioning))));
    sends(trace, WORKER, task(1, 0, 0, 1), task(2, target, 0, 2));
    trace.decides(JOB_MANAGER, JOB, new TasksDeployed(2, 1));
    if (allowed) {
      trace.passes(Duration.ZERO);
    } else {
      trace
          .isBrokenBy(() -> trace.passes(Duration.ZERO))
          .hasMessageContaining("only one is deployed");
    }
  }

  private static final JobGraph PAIR =
      graph(JOB, List.of(vertex(1, 1), vertex(2, 1)), List.of(edge(1, 2, Partitioning.FORWARD)));

  private static Placement placement(String first, String second) {
    return new Placement(
        List.of(first, second),
        Map.of(
            Samples.vertex(1), List.of(new Placement.Run(0, 1, 0)),
            Samples.vertex(2), List.of(new Placement.Run(0, 1, 1))));
  }

  @Test
  void placementHasTheHostsOfTheTaskAndOfItsNeighbours() {
    RuleTrace trace = new RuleTrace(new PlacementRules.PlacementIsCorrect()).plan(PAIR);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    sends(trace, WORKER, task(1, 0, 0, 1));
    sends(trace, OTHER_WORKER, task(2, 0, 0, 2));
    trace.deploys(worker, PAIR, NUMBER, placement(WORKER, OTHER_WORKER), task(1, 0, 0, 1));
    trace
        .isBrokenBy(
            () -> trace.deploys(worker, PAIR, NUMBER, placement(WORKER, "x"), task(1, 0, 0, 3)))
        .hasMessageContaining("was sent to " + OTHER_WORKER);
    trace
        .isBrokenBy(
            () ->
                trace.deploys(worker, PAIR, NUMBER, placement("x", OTHER_WORKER), task(1, 0, 0, 4)))
        .hasMessageContaining("runs at " + WORKER);
  }

  @Test
  void placementLacksNoNeighbour() {
    RuleTrace trace = new RuleTrace(new PlacementRules.PlacementIsCorrect()).plan(PAIR);
    SimulatedWorld.Worker worker = trace.worker(WORKER, 1);
    trace
        .isBrokenBy(() -> trace.deploys(worker, PAIR, NUMBER, task(2, 0, 0, 1)))
        .hasMessageContaining("without subtask 0");
    trace
        .isBrokenBy(
            () ->
                trace.deploys(
                    worker,
                    PAIR,
                    NUMBER,
                    Samples.placement(WORKER, task(2, 0, 0, 2)),
                    task(1, 0, 0, 3)))
        .hasMessageContaining("runs at");
  }

  @Test
  void placementMayLackSubtasksThatExchangeNothing() {
    for (Partitioning partitioning : List.of(Partitioning.FORWARD, Partitioning.RESCALE)) {
      JobGraph wide =
          graph(JOB, List.of(vertex(1, 2), vertex(2, 2)), List.of(edge(1, 2, partitioning)));
      RuleTrace trace = new RuleTrace(new PlacementRules.PlacementIsCorrect()).plan(wide);
      trace.deploys(trace.worker(WORKER, 1), wide, NUMBER, task(1, 1, 0, 1), task(2, 1, 0, 2));
    }
  }
}
