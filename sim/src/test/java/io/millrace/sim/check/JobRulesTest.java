package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.EMPTY_REPORT;
import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.deployTasks;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.details;
import static io.millrace.sim.check.Samples.ended;
import static io.millrace.sim.check.Samples.failed;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.job;
import static io.millrace.sim.check.Samples.overview;
import static io.millrace.sim.check.Samples.report;
import static io.millrace.sim.check.Samples.result;
import static io.millrace.sim.check.Samples.slot;
import static io.millrace.sim.check.Samples.slots;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.BlobGateway.ReadBlob;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CancelReply;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.JobAnswer;
import io.millrace.protocol.DispatcherGateway.Jobs;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.SlotLost;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.StoredJob;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.HeartbeatTimeout;
import io.millrace.protocol.reason.PeerReason.LeaderChanged;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.sim.SimStore;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class JobRulesTest {
  private static final String CLIENT = "client";
  private static final String JOB_MASTER = ComponentNames.jobMaster(JOB);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final SubmitJob SUBMISSION = new SubmitJob(JOB, BlobKey.of(Bytes.utf8("graph")));
  private static final StoredJob STORED = new StoredJob(SUBMISSION, false);

  private static void asks(RuleTrace trace, LeaderToken leader, Record message, Record answer) {
    trace.exchange(CLIENT, JOB_MANAGER, Optional.of(leader), message, answer);
  }

  private static final AwaitResult AWAIT = new AwaitResult(JOB, SECOND);
  private static final ResultAnswer UNKNOWN = new ResultAnswer(false, Optional.empty());
  private static final ResultAnswer NO_RESULT = new ResultAnswer(true, Optional.empty());

  private static ResultAnswer answer(JobResult result) {
    return new ResultAnswer(true, Optional.of(result));
  }

  @Test
  void acknowledgedJobIsStored() {
    RuleTrace trace = new RuleTrace(new JobRules.AcknowledgedJobsAreKept());
    trace
        .isBrokenBy(() -> asks(trace, token(1), SUBMISSION, new Acknowledge()))
        .hasMessageContaining("was acknowledged and is not stored");
    RuleTrace stored = new RuleTrace(new JobRules.AcknowledgedJobsAreKept());
    stored.stores("jobs/" + JOB, STORED);
    asks(stored, token(1), SUBMISSION, new Acknowledge());
  }

  @Test
  void acknowledgedJobIsRemovedOnlyWithAResult() {
    RuleTrace trace = new RuleTrace(new JobRules.AcknowledgedJobsAreKept());
    trace.stores("jobs/" + JOB, STORED);
    asks(trace, token(1), SUBMISSION, new Acknowledge());
    trace.isBrokenBy(() -> trace.isOver(EMPTY_REPORT)).hasMessageContaining("has no result");
    trace.isBrokenBy(() -> trace.removes("jobs/" + JOB)).hasMessageContaining("was removed");

    RuleTrace ended = new RuleTrace(new JobRules.AcknowledgedJobsAreKept());
    ended.stores("jobs/" + JOB, STORED);
    asks(ended, token(1), SUBMISSION, new Acknowledge());
    ended.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    ended.removes("jobs/" + JOB);
    ended.isOver(EMPTY_REPORT);
  }

  @Test
  void leadingDispatcherKnowsAcknowledgedJobs() {
    RuleTrace trace = new RuleTrace(new JobRules.AcknowledgedJobsAreKept());
    LeaderToken leader = trace.grants(JOB_MANAGER, ComponentNames.DISPATCHER, 1);
    asks(trace, leader, AWAIT, UNKNOWN);
    trace.stores("jobs/" + JOB, STORED);
    asks(trace, leader, SUBMISSION, new Acknowledge());
    asks(trace, leader, AWAIT, NO_RESULT);
    // A former leader knows only its own jobs.
    asks(trace, token(0), AWAIT, UNKNOWN);
    trace
        .isBrokenBy(() -> asks(trace, leader, AWAIT, UNKNOWN))
        .hasMessageContaining("does not know job " + JOB);
  }

  private static void deploys(RuleTrace trace, String from, LeaderToken jobMaster) {
    trace.sends(
        from, WORKER, deployTasks(JOB, jobMaster, deployment(jobMaster.term(), 1), task(0, 0, 1)));
  }

  @Test
  void endedJobIsNotDeployedByItsLeader() {
    RuleTrace trace = new RuleTrace(new JobRules.EndedJobsNeverRunAgain());
    trace.grants(JOB_MANAGER, ComponentNames.DISPATCHER, 1);
    LeaderToken jobMaster = trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    deploys(trace, JOB_MANAGER, jobMaster);
    trace.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    // Other invariants are about a leader that does not know yet that it was replaced.
    deploys(trace, JOB_MANAGER, token(7));
    deploys(trace, OTHER_JOB_MANAGER, jobMaster);
    trace
        .isBrokenBy(() -> deploys(trace, JOB_MANAGER, jobMaster))
        .hasMessageContaining("which has ended");
  }

  @Test
  void resultIsNotRemoved() {
    RuleTrace trace = new RuleTrace(new JobRules.EndedJobsNeverRunAgain());
    trace.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    trace.isBrokenBy(() -> trace.removes("results/" + JOB)).hasMessageContaining("was removed");
  }

  @Test
  void statusOfAnEndedJobDoesNotChange() {
    RuleTrace trace = new RuleTrace(new JobRules.EndedJobsNeverRunAgain());
    asks(trace, token(1), AWAIT, NO_RESULT);
    asks(trace, token(1), AWAIT, answer(result(JOB, JobStatus.CANCELED)));
    asks(trace, token(2), AWAIT, answer(result(JOB, JobStatus.CANCELED)));
    trace
        .isBrokenBy(() -> asks(trace, token(2), AWAIT, answer(result(JOB, JobStatus.FINISHED))))
        .hasMessageContaining("is FINISHED and was CANCELED");
  }

  @Test
  void overviewOfAnEndedJobDoesNotChange() {
    RuleTrace trace = new RuleTrace(new JobRules.EndedJobsNeverRunAgain());
    lists(trace, JobStatus.RUNNING, -1);
    lists(trace, JobStatus.RUNNING, 0);
    lists(trace, JobStatus.FINISHED, 5);
    lists(trace, JobStatus.FINISHED, 5);
    trace
        .isBrokenBy(() -> lists(trace, JobStatus.FINISHED, 6))
        .hasMessageContaining("was listed as");
  }

  private static void lists(RuleTrace trace, JobStatus status, long endedAt) {
    asks(
        trace,
        token(1),
        new ListJobs(),
        new Jobs(List.of(overview(JOB, status, endedAt), overview(job(2), status, 1))));
  }

  private static void describes(RuleTrace trace, LeaderToken leader, int required) {
    asks(
        trace,
        leader,
        new DescribeJob(JOB),
        new JobAnswer(Optional.of(details(graph(1, 1), JobStatus.FINISHED, slots(required, 0)))));
  }

  @Test
  void detailsOfAnEndedJobAreStable() {
    RuleTrace trace = new RuleTrace(new JobRules.EndedJobDetailsAreStable());
    LeaderToken leader = trace.grants(JOB_MANAGER, ComponentNames.DISPATCHER, 1);
    describes(trace, leader, 1);
    describes(trace, leader, 2);
    asks(trace, leader, AWAIT, answer(result(JOB, JobStatus.FINISHED)));
    describes(trace, leader, 3);
    describes(trace, leader, 3);
    describes(trace, token(0), 4);
    trace.isBrokenBy(() -> describes(trace, leader, 4)).hasMessageContaining("The details of");
  }

  @Test
  void detailsMayBeLostIfStorageFails() {
    RuleTrace trace = new RuleTrace(new JobRules.EndedJobDetailsAreStable());
    trace.with(new Fault.StorageFailure(SECOND, JOB_MANAGER, SimStore.FailureMode.FULL, SECOND));
    LeaderToken leader = trace.grants(JOB_MANAGER, ComponentNames.DISPATCHER, 1);
    asks(trace, leader, AWAIT, answer(result(JOB, JobStatus.FINISHED)));
    describes(trace, leader, 3);
    describes(trace, leader, 4);
  }

  private static RuleTrace cancelled(CancelOutcome outcome) {
    RuleTrace trace = new RuleTrace(new JobRules.CancelledJobsEnd()).plan(graph(1, 1));
    trace.grants(JOB_MANAGER, ComponentNames.DISPATCHER, 1);
    trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    asks(trace, token(1), new CancelJob(JOB), new CancelReply(outcome));
    return trace;
  }

  @Test
  void cancelledJobDeploysNothing() {
    RuleTrace trace = cancelled(CancelOutcome.ACCEPTED);
    trace
        .isBrokenBy(() -> deploys(trace, JOB_MANAGER, token(1)))
        .hasMessageContaining("which is cancelled");
    for (CancelOutcome other : CancelOutcome.values()) {
      if (other != CancelOutcome.ACCEPTED) {
        deploys(cancelled(other), JOB_MANAGER, token(1));
      }
    }
  }

  @Test
  void cancelledJobEnds() {
    RuleTrace trace = cancelled(CancelOutcome.ACCEPTED);
    trace.settles(EMPTY_REPORT);
    trace.settles(report(details(graph(1, 1), JobStatus.FINISHED, slots(1, 0))));
    trace
        .isBrokenBy(
            () -> trace.settles(report(details(graph(1, 1), JobStatus.RUNNING, slots(1, 0)))))
        .hasMessageContaining("was cancelled and is RUNNING");
  }

  @Test
  void jobThatIsRecoveredAfterItsCancellationIsCanceled() {
    RuleTrace trace = cancelled(CancelOutcome.ACCEPTED);
    trace.grants(OTHER_JOB_MANAGER, JOB_MASTER, 2);
    trace.settles(report(details(graph(1, 1), JobStatus.CANCELED, slots(1, 0))));
    trace
        .isBrokenBy(
            () -> trace.settles(report(details(graph(1, 1), JobStatus.FINISHED, slots(1, 0)))))
        .hasMessageContaining("before its leader changed");

    RuleTrace ended = cancelled(CancelOutcome.ACCEPTED);
    ended.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    ended.grants(OTHER_JOB_MANAGER, JOB_MASTER, 2);
    ended.settles(report(details(graph(1, 1), JobStatus.FINISHED, slots(1, 0))));
  }

  private static final JobGraph ONE_RESTART =
      graph(1, 1)
          .withConfiguration(
              Configuration.EMPTY
                  .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
                  .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, 1));

  private static RuleTrace running(JobGraph graph) {
    RuleTrace trace = new RuleTrace(new JobFailureRules.JobFailureHasCause()).plan(graph);
    trace.grants(JOB_MANAGER, JOB_MASTER, 1);
    trace.decides(JOB_MANAGER, JOB, new JobMasterStarted(1));
    deploys(trace, JOB_MANAGER, token(1));
    return trace;
  }

  private static void fails(RuleTrace trace, ErrorKind kind) {
    Envelope.Call call = trace.sends(CLIENT, JOB_MANAGER, AWAIT);
    trace.answers(
        JOB_MANAGER,
        CLIENT,
        call,
        answer(new JobResult(JOB, JobStatus.FAILED, 1, Optional.of(Failure.of(kind, "ended")))));
  }

  @Test
  void jobDoesNotFailWithoutACause() {
    RuleTrace trace = running(graph(1, 1));
    trace.isBrokenBy(() -> fails(trace, ErrorKind.USER)).hasMessageContaining("failed: ended");
    trace.isBrokenBy(() -> fails(trace, ErrorKind.RESOURCE));
  }

  /** The deployment is stored before it is sent, if the next leader may adopt its tasks. */
  @Test
  void workerWithSlotsOfTheJobMayBeLostWhileItsDeploymentIsStored() {
    for (boolean adopts : List.of(true, false)) {
      RuleTrace trace =
          new RuleTrace(new JobFailureRules.JobFailureHasCause())
              .with(Configuration.EMPTY.with(ExecutionOptions.ADOPT_TASKS, adopts))
              .plan(
                  graph(1, 1)
                      .withConfiguration(
                          Configuration.EMPTY.with(
                              RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.NONE)));
      Envelope.Call offer =
          trace.sends(
              WORKER, JOB_MANAGER, JOB_MASTER, Optional.of(token(1)), Samples.offer(WORKER, 1, 1));
      trace.answers(JOB_MANAGER, WORKER, offer, Samples.accepts(1));
      trace.losesConnection(JOB_MANAGER, WORKER);
      if (adopts) {
        fails(trace, ErrorKind.EXTERNAL);
      } else {
        trace.isBrokenBy(() -> fails(trace, ErrorKind.EXTERNAL));
      }
    }
  }

  /** Its tasks go on under a leader that has deployed nothing. */
  @Test
  void workerMayBeLostByTheLeaderThatHasAdoptedItsTasks() {
    for (String loser : List.of("jobmanager-9", JOB_MANAGER)) {
      RuleTrace trace =
          running(
              graph(1, 1)
                  .withConfiguration(
                      Configuration.EMPTY.with(
                          RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.NONE)));
      trace.decides("jobmanager-9", JOB, new JobMasterStarted(2));
      trace.sends(
          "jobmanager-9",
          WORKER,
          new AdoptTasks(
              JOB, token(2), List.of(task(0, 0, 1).execution()), new CheckpointOutcomes(0, 0)));
      trace.losesConnection(loser, WORKER);
      if (loser.equals(JOB_MANAGER)) {
        trace.isBrokenBy(() -> fails(trace, ErrorKind.EXTERNAL));
      } else {
        fails(trace, ErrorKind.EXTERNAL);
      }
    }
  }

  /** Each of these may fail a task of the job. */
  @Test
  void causesOfAFailure() {
    WorkerId worker = new WorkerId(WORKER);
    List<Consumer<RuleTrace>> causes =
        List.of(
            trace -> {
              SimulatedWorld.Worker host = trace.worker(WORKER, 1);
              trace.deploys(host, graph(1, 1), deployment(1, 1), task(0, 0, 1));
              trace.endsTask(host, task(0, 0, 1), TaskState.FAILED);
            },
            trace -> trace.losesConnection(WORKER, JOB_MANAGER),
            trace -> trace.losesConnection(JOB_MANAGER, WORKER),
            trace ->
                trace.decidesOn(
                    JOB_MANAGER, JOB, WORKER, new WorkerLost(new HeartbeatTimeout(SECOND))),
            trace ->
                trace.decides(WORKER, JOB, new JobMasterDisconnected(new ConnectionLost("reset"))),
            trace -> {
              registers(trace, worker, 1);
              registers(trace, worker, 2);
            },
            trace -> {
              Envelope.Call read =
                  trace.sends(
                      WORKER, OTHER_JOB_MANAGER, new ReadBlob(BlobKey.of(Bytes.utf8("jar")), 0));
              trace.hearsError(WORKER, OTHER_JOB_MANAGER, read);
            },
            trace -> {
              trace.unreachable();
              trace.arrives(
                  WORKER,
                  JOB_MANAGER,
                  trace.sends(
                      WORKER,
                      JOB_MANAGER,
                      JOB_MASTER,
                      Optional.of(token(1)),
                      new SlotLost(worker, slot(1), new LeaderChanged())));
            },
            trace -> trace.with(new Fault.MessageLoss(Duration.ZERO, 0.5, SECOND)));
    for (int i = 0; i < causes.size(); i++) {
      RuleTrace trace = running(graph(1, 1));
      causes.get(i).accept(trace);
      fails(trace, ErrorKind.USER);

      RuleTrace restartable = running(ONE_RESTART);
      causes.get(i).accept(restartable);
      restartable
          .isBrokenBy(() -> fails(restartable, ErrorKind.USER))
          .as("cause " + i)
          .isInstanceOf(Invariant.Broken.class);
      restartable.decides(JOB_MANAGER, JOB, new RestartScheduled(1, 1, SECOND));
      fails(restartable, ErrorKind.USER);
    }
  }

  private static void registers(RuleTrace trace, WorkerId worker, long incarnation) {
    trace.arrives(
        WORKER,
        JOB_MANAGER,
        trace.sends(
            WORKER,
            JOB_MANAGER,
            new RegisterAtJobMaster(
                JOB, worker, incarnation, new Address(WORKER, "taskmanager"), WORKER)));
  }

  @Test
  void whatAffectedAFormerLeaderIsNoCause() {
    RuleTrace trace = running(graph(1, 1));
    trace.losesConnection(WORKER, JOB_MANAGER);
    trace.decides(JOB_MANAGER, JOB, new JobMasterStarted(2));
    trace.isBrokenBy(() -> fails(trace, ErrorKind.USER));
  }

  @Test
  void failureOfATaskIsACauseForTheLeaderThatAdoptsTheTask() {
    TaskSpec failed = task(0, 0, 1);
    TaskSpec other = task(1, 0, 2);
    for (TaskSpec adopted : List.of(failed, other)) {
      RuleTrace trace = running(graph(1, 2));
      SimulatedWorld.Worker host = trace.worker(WORKER, 2);
      trace.deploys(host, graph(1, 2), deployment(1, 1), failed, other);
      trace.endsTask(host, failed, TaskState.FAILED);
      trace.decides(JOB_MANAGER, JOB, new JobMasterStarted(2));
      trace.sends(
          JOB_MANAGER,
          WORKER,
          new AdoptTasks(
              JOB, token(2), List.of(adopted.execution()), new CheckpointOutcomes(0, 0)));
      if (adopted.equals(failed)) {
        fails(trace, ErrorKind.USER);
      } else {
        trace.isBrokenBy(() -> fails(trace, ErrorKind.USER));
      }
    }
  }

  @Test
  void missingSlotsAreACauseIfThereIsNotRoomForAll() {
    RuleTrace limited = running(graph(1, 1));
    limited.with(new ClientAction.Limit(SECOND, 0));
    fails(limited, ErrorKind.RESOURCE);
    limited.isBrokenBy(() -> fails(limited, ErrorKind.USER));

    RuleTrace full = running(graph(1, 9));
    fails(full, ErrorKind.RESOURCE);
  }

  @Test
  void errorOfKindBugIsReported() {
    RuleTrace trace = new RuleTrace(new JobRules.NoErrorOfKindBug());
    Envelope.Call call = trace.sends(CLIENT, JOB_MANAGER, AWAIT);
    trace.refuses(JOB_MANAGER, CLIENT, call);
    for (ErrorKind kind : ErrorKind.values()) {
      if (kind != ErrorKind.BUG) {
        fails(trace, kind);
      }
    }
    trace.isBrokenBy(() -> fails(trace, ErrorKind.BUG)).hasMessage("A job failed: ended");
    trace
        .isBrokenBy(
            () -> trace.refuses(JOB_MANAGER, CLIENT, call, failed(call, ErrorKind.BUG, "x")))
        .hasMessageContaining("answered AwaitResult: x");
  }
}
