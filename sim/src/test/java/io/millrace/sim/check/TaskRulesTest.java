package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.execution;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.JobMasterGateway.WorkerLeaves;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.journal.TaskExecutorEvent.RegisteredAtJobMaster;
import io.millrace.protocol.journal.TaskExecutorEvent.TasksKept;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.NoSlotLeft;
import io.millrace.protocol.reason.PeerReason.WorkerStops;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TaskRulesTest {
  private static final JobGraph TWO = graph(1, 2);
  private static final String JOB_MASTER = ComponentNames.jobMaster(JOB);
  private static final Address ADDRESS = new Address(WORKER, "taskmanager");

  private static RuleTrace reporting() {
    RuleTrace trace = new RuleTrace(new TaskRules.TaskReportsAreComplete()).plan(TWO);
    trace.deploys(trace.worker(WORKER, 2), TWO, deployment(1, 1), task(0, 0, 1), task(1, 0, 2));
    return trace;
  }

  private static void reports(RuleTrace trace, LeaderToken jobMaster, int... executions) {
    Envelope.Call call = trace.sends(JOB_MANAGER, WORKER, new AskTasks(JOB, jobMaster));
    TaskReport report =
        new TaskReport(
            List.of(),
            java.util.Arrays.stream(executions).mapToObj(Samples::execution).toList(),
            List.of());
    trace.answers(WORKER, JOB_MANAGER, call, report);
    trace.hears(JOB_MANAGER, WORKER, call, report);
  }

  private static void confirms(RuleTrace trace, ExecutionId execution, TaskState state) {
    trace.hears(
        WORKER,
        JOB_MANAGER,
        trace.sends(
            WORKER,
            JOB_MANAGER,
            new TaskUpdates(new WorkerId(WORKER), List.of(TaskUpdate.of(execution, state)))),
        new Acknowledge());
  }

  @Test
  void workerReportsTasksUntilTheirEndIsConfirmed() {
    RuleTrace trace = reporting();
    reports(trace, token(1), 1, 2);
    reports(trace, token(1), 2, 9, 1);
    confirms(trace, execution(2), TaskState.RUNNING);
    trace
        .isBrokenBy(() -> reports(trace, token(1), 1))
        .hasMessageContaining("lacks [" + execution(2));
    confirms(trace, execution(2), TaskState.FINISHED);
    reports(trace, token(1), 1);
  }

  @Test
  void tasksOfAnotherLeaderAreNotReported() {
    RuleTrace trace = reporting();
    reports(trace, token(2));
    trace.decides(WORKER, JOB, new JobMasterDisconnected(new ConnectionLost("reset")));
    reports(trace, token(1));
  }

  @Test
  void oneOfTwoAnswersToARepeatedQuestionIsComplete() {
    RuleTrace trace = reporting();
    Envelope.Call call = trace.sends(JOB_MANAGER, WORKER, new AskTasks(JOB, token(1)));
    TaskReport both = new TaskReport(List.of(), List.of(execution(1), execution(2)), List.of());
    trace.answers(WORKER, JOB_MANAGER, call, both);
    confirms(trace, execution(2), TaskState.FINISHED);
    TaskReport one = new TaskReport(List.of(), List.of(execution(1)), List.of());
    trace.answers(WORKER, JOB_MANAGER, call, one);
    trace.hears(JOB_MANAGER, WORKER, call, one);
  }

  private static void leaves(RuleTrace trace, long term) {
    trace.sends(
        WORKER,
        JOB_MANAGER,
        JOB_MASTER,
        Optional.of(token(term)),
        new WorkerLeaves(new WorkerId(WORKER), new NoSlotLeft()));
  }

  @Test
  void workerStaysUntilTheEndOfItsTasksIsConfirmed() {
    RuleTrace trace = reporting();
    leaves(trace, 1);
    trace.endsTask(trace.workers().get(0), task(0, 0, 1), TaskState.FINISHED);
    leaves(trace, 2);
    trace.sends(
        WORKER,
        JOB_MANAGER,
        JOB_MASTER,
        Optional.of(token(1)),
        new WorkerLeaves(new WorkerId(WORKER), new WorkerStops()));
    trace
        .isBrokenBy(() -> leaves(trace, 1))
        .hasMessageContaining("has not confirmed the end of " + execution(1));
    confirms(trace, execution(1), TaskState.FINISHED);
    leaves(trace, 1);
  }

  private static final Duration SOON = Duration.ofSeconds(5);

  private static RuleTrace dropped() {
    RuleTrace trace = new RuleTrace(new TaskRules.TasksOfLostWorkersEnd()).plan(TWO);
    trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    trace.deploys(trace.worker(WORKER, 2), TWO, deployment(1, 1), task(0, 0, 1));
    return trace;
  }

  private static void drops(RuleTrace trace) {
    trace.decidesOn(JOB_MANAGER, JOB, WORKER, new WorkerLost(new ConnectionLost("reset")));
  }

  @Test
  void workerEndsTheTasksOfAJobMasterThatHasDroppedIt() {
    RuleTrace trace = dropped();
    drops(trace);
    trace.passes(SOON.minusMillis(1));
    trace
        .isBrokenBy(() -> trace.passes(Duration.ofMillis(1)))
        .hasMessageContaining("was dropped by its JobMaster 5 s ago and runs");
  }

  @Test
  void cancelledTaskNeedNotHaveEnded() {
    RuleTrace trace = dropped();
    drops(trace);
    trace.passes(Duration.ofSeconds(1));
    trace.workers().get(0).host().cancel(execution(1));
    trace.passes(SOON);
  }

  @Test
  void partitionedOrDeadWorkerNoticesByItself() {
    RuleTrace partitioned = dropped();
    drops(partitioned);
    partitioned.partition(WORKER);
    partitioned.passes(SOON);

    RuleTrace frozen = dropped();
    drops(frozen);
    frozen.process(WORKER).freeze();
    frozen.passes(SOON);

    RuleTrace dead = dropped();
    drops(dead);
    dead.process(JOB_MANAGER).kill();
    dead.passes(SOON);
  }

  /** The worker has lost the JobMaster, too, and has kept the task. */
  private static RuleTrace kept() {
    RuleTrace trace = dropped();
    drops(trace);
    trace.decides(WORKER, JOB, new TasksKept(1));
    return trace;
  }

  private static void registers(RuleTrace trace, long term, boolean adopts) {
    trace.exchange(
        WORKER,
        JOB_MANAGER,
        Optional.of(token(term)),
        new RegisterAtJobMaster(JOB, new WorkerId(WORKER), 7, ADDRESS, WORKER),
        new WorkerReply(
            RegistrationStatus.ACCEPTED,
            Optional.empty(),
            Optional.of(new WorkerRegistered(token(term), true, adopts))));
    trace.decides(WORKER, JOB, new RegisteredAtJobMaster(ADDRESS));
  }

  private static void adopts(RuleTrace trace, ExecutionId... executions) {
    trace.exchange(
        JOB_MANAGER,
        WORKER,
        Optional.empty(),
        new AdoptTasks(JOB, token(2), List.of(executions), new CheckpointOutcomes(0, 0)),
        new Acknowledge());
  }

  @Test
  void tasksAreKeptUntilTheNextJobMasterHasDecided() {
    RuleTrace alone = kept();
    alone.passes(SOON);

    RuleTrace undecided = kept();
    registers(undecided, 2, true);
    undecided.passes(SOON);

    RuleTrace adopted = kept();
    registers(adopted, 2, true);
    adopts(adopted, execution(1));
    adopted.passes(SOON);

    RuleTrace notAdopted = kept();
    registers(notAdopted, 2, true);
    adopts(notAdopted, execution(2));
    notAdopted.isBrokenBy(() -> notAdopted.passes(SOON));
  }

  @Test
  void keptTasksEndIfTheWorkerRegistersWhereTheyAreNotAdopted() {
    RuleTrace same = kept();
    registers(same, 1, true);
    same.isBrokenBy(() -> same.passes(SOON));

    RuleTrace other = kept();
    registers(other, 2, false);
    other.isBrokenBy(() -> other.passes(SOON));
  }

  /** It is dropped after it has lost the JobMaster and before it finds the same one again. */
  @Test
  void keptTasksOfAJobMasterThatIsFoundAgainEnd() {
    RuleTrace trace = dropped();
    trace.decides(WORKER, JOB, new TasksKept(1));
    drops(trace);
    registers(trace, 1, true);
    trace.isBrokenBy(() -> trace.passes(SOON));
  }

  @Test
  void tasksOfAnotherTermAreNotConcerned() {
    RuleTrace trace = dropped();
    trace.grants(JOB_MANAGER, JOB_MASTER, 2);
    drops(trace);
    trace.passes(SOON);
  }
}
