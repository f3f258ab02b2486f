package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.EMPTY_REPORT;
import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.execution;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.token;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointFailed;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerAssumedGone;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerEnded;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerFound;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStarted;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.CheckpointReason.CheckpointSubsumed;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.JobReason.TaskNotEnded;
import io.millrace.protocol.reason.JobReason.TasksEnded;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.CountedOut;
import io.millrace.protocol.reason.PeerReason.RegistrationRejected;
import io.millrace.protocol.reason.PeerReason.ResourceManagerNotFound;
import io.millrace.protocol.reason.PeerReason.WorkerUnknown;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonException;
import io.millrace.rpc.Address;
import io.millrace.sim.SimStore;
import io.millrace.sim.SimTokens;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rules of failed checkpoints, and of processes and workers that end. */
class OutcomeRulesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String JOB_MASTER = ComponentNames.jobMaster(JOB);

  // Failed checkpoints.

  private static JobGraph tolerating(int failures) {
    return graph(1, 1)
        .withConfiguration(
            Configuration.EMPTY
                .with(CheckpointingOptions.INTERVAL, SECOND)
                .with(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, failures));
  }

  private static void fails(RuleTrace trace, long checkpoint) {
    trace.decides(
        JOB_MANAGER,
        JOB,
        new CheckpointFailed(checkpoint, new CheckpointExpired(SECOND, List.of(), 1)));
  }

  private static RuleTrace failing(int tolerated) {
    return new RuleTrace(new CheckpointOutcomeRules.FailedCheckpointsRestartJob())
        .plan(tolerating(tolerated));
  }

  @Test
  void jobRestartsAfterMoreFailuresThanItTolerates() {
    RuleTrace trace = failing(1);
    fails(trace, 1);
    trace.passes(SECOND);
    fails(trace, 2);
    trace
        .isBrokenBy(() -> trace.passes(SECOND))
        .hasMessageContaining("does not restart after 2 failed checkpoints");
    trace.decides(JOB_MANAGER, JOB, new RestartScheduled(1, 1, SECOND));
    trace.passes(SECOND);
    fails(trace, 3);
    trace.passes(SECOND);
  }

  @Test
  void jobThatEndsNeedNotRestart() {
    RuleTrace trace = failing(0);
    fails(trace, 1);
    trace.decides(JOB_MANAGER, JOB, new StatusChanged(JobStatus.FAILING, new TasksEnded()));
    trace.passes(SECOND);
  }

  @Test
  void completedCheckpointAndNewLeaderStartTheCountAgain() {
    RuleTrace completed = failing(1);
    fails(completed, 1);
    completed.sends(JOB_MANAGER, WORKER, new CheckpointCompleted(JOB, token(1), 2));
    fails(completed, 3);
    completed.passes(SECOND);

    RuleTrace stored = failing(1);
    fails(stored, 1);
    stored.stores(
        "checkpoints/" + JOB,
        new StoredCheckpoints(
            2, "/cp", CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS, List.of(), List.of()));
    fails(stored, 3);
    stored.passes(SECOND);

    RuleTrace leader = failing(1);
    fails(leader, 1);
    leader.grants(JOB_MANAGER, JOB_MASTER, 2);
    fails(leader, 3);
    leader.passes(SECOND);
  }

  @Test
  void givenUpCheckpointsAndSavepointsDoNotCount() {
    RuleTrace trace = failing(0);
    trace.decides(JOB_MANAGER, JOB, new CheckpointFailed(1, new CheckpointSubsumed(2)));
    trace.passes(SECOND);
    triggers(trace, 2, CheckpointRequest.Type.SAVEPOINT);
    fails(trace, 2);
    trace.passes(SECOND);
    triggers(trace, 3, CheckpointRequest.Type.CHECKPOINT);
    fails(trace, 3);
    trace.isBrokenBy(() -> trace.passes(SECOND));
  }

  private static void triggers(RuleTrace trace, long number, CheckpointRequest.Type type) {
    trace.sends(
        JOB_MANAGER,
        WORKER,
        new TriggerCheckpoint(
            JOB,
            token(1),
            new CheckpointRequest(
                number, 1, type, CheckpointRequest.Barriers.ALIGNED, "/cp", "/cp/shared", 1),
            List.of(execution(1)),
            List.of(execution(1))));
  }

  /** One that failed before it was triggered may be the savepoint that a client requests. */
  @Test
  void untriggeredCheckpointMayBeASavepoint() {
    for (ClientAction act :
        List.of(new ClientAction.Savepoint(SECOND, 0), new ClientAction.Stop(SECOND, 0, true))) {
      RuleTrace trace = failing(0).with(act);
      fails(trace, 1);
      trace.passes(SECOND);
    }
  }

  @Test
  void jobThatToleratesManyFailuresNeedNotRestart() {
    RuleTrace trace = failing(Integer.MAX_VALUE);
    for (int i = 1; i < 50; i++) {
      fails(trace, i);
      trace.passes(SECOND);
    }
  }

  @Test
  void snapshotFailsOnlyIfATaskDeclined() {
    RuleTrace trace = new RuleTrace(new CheckpointOutcomeRules.CheckpointFailureHasCause());
    fails(trace, 1);
    trace
        .isBrokenBy(
            () ->
                trace.decides(
                    JOB_MANAGER,
                    JOB,
                    new CheckpointFailed(2, new SnapshotFailed("map (1/1)", "disk full"))))
        .hasMessageContaining("Checkpoint 2 of job " + JOB);
  }

  private static void storageFails(RuleTrace trace) {
    trace.decides(
        JOB_MANAGER, JOB, new CheckpointFailed(2, new CheckpointStorageFailed("no space")));
  }

  @Test
  void checkpointFailsForItsStorageOnlyIfThatIsFaulty() {
    RuleTrace trace = new RuleTrace(new CheckpointOutcomeRules.CheckpointFailureHasCause());
    trace.isBrokenBy(() -> storageFails(trace)).hasMessageContaining("no space");
    trace.stores("results/" + JOB, Samples.ended(JOB, JobStatus.FINISHED));
    storageFails(trace);

    storageFails(
        new RuleTrace(new CheckpointOutcomeRules.CheckpointFailureHasCause())
            .with(
                new Fault.StorageFailure(SECOND, JOB_MANAGER, SimStore.FailureMode.FULL, SECOND)));
  }

  // Ends of processes.

  private static RuleTrace exits() {
    return new RuleTrace(new WorkerEndRules.ProcessExitHasCause()).plan(graph(1, 1));
  }

  private static ReasonException because(Reason reason) {
    return new ReasonException(io.millrace.core.error.ErrorKind.EXTERNAL, reason);
  }

  @Test
  void jobManagerEndsOnlyIfItsStorageFailsOrItIsReplaced() {
    RuleTrace trace = exits();
    trace
        .isBrokenBy(() -> trace.dies(JOB_MANAGER, new IllegalStateException("bug")))
        .hasMessageContaining("terminated itself: bug");
    trace.dies(JOB_MANAGER, StaleWriteException.ofLaterTerm("replaced"));
    trace.dies(
        JOB_MANAGER,
        new IllegalStateException("wrapped", StaleWriteException.ofLaterTerm("replaced")));
    trace.isBrokenBy(() -> trace.dies(JOB_MANAGER, new StaleWriteException("another version")));
    for (Fault fault :
        List.of(
            new Fault.StorageFailure(SECOND, JOB_MANAGER, SimStore.FailureMode.FULL, SECOND),
            new Fault.DamagedBlob(SECOND, 0, true, SECOND))) {
      exits().with(fault).dies(JOB_MANAGER, new IllegalStateException("storage"));
    }
  }

  @Test
  void jobManagerWithoutTokensEndsOnlyIfTheServiceFails() {
    IllegalStateException noToken =
        new IllegalStateException("start", new io.millrace.sim.SimProcess.TookLong(SECOND));
    RuleTrace trace = exits();
    trace.isBrokenBy(() -> trace.dies(JOB_MANAGER, noToken));
    trace.with(new Fault.TokenServiceFailure(SECOND, SimTokens.FailureMode.HANGING, SECOND));
    trace.dies(JOB_MANAGER, noToken);
    trace.isBrokenBy(() -> trace.dies(JOB_MANAGER, new IllegalStateException("other")));
  }

  @Test
  void workerEndsOnlyForAReason() {
    RuleTrace trace = exits();
    WorkerId worker = new WorkerId(WORKER);
    trace.dies(WORKER, because(new TaskNotEnded("map", JOB, SECOND, false, Optional.empty())));
    trace.dies(
        WORKER,
        because(new ResourceManagerNotFound(worker, SECOND, Optional.empty(), "a directory")));
    trace.dies(WORKER, because(new CountedOut(worker, new ConnectionLost("x"))));
    trace.dies(
        WORKER,
        because(
            new RegistrationRejected(
                worker, new Address(JOB_MANAGER, "resourcemanager"), new WorkerUnknown(worker))));
    trace.isBrokenBy(() -> trace.dies(WORKER, because(new ConnectionLost("reset"))));
    trace.isBrokenBy(() -> trace.dies(WORKER, new IllegalStateException("bug")));
    trace.isBrokenBy(
        () ->
            trace.dies(
                WORKER,
                because(
                    new RegistrationRejected(
                        worker,
                        new Address(JOB_MANAGER, "resourcemanager"),
                        new ConnectionLost("x")))));
  }

  // Ends of workers that a driver reports.

  private static RuleTrace reported() {
    RuleTrace trace = new RuleTrace(new WorkerEndRules.ReportedWorkerEndsAreRecorded());
    trace.decidesOn(JOB_MANAGER, WORKER, new WorkerStarted());
    trace.reportsWorkerEnd(JOB_MANAGER, WORKER);
    return trace;
  }

  @Test
  void reportedEndIsRecordedWithinAMoment() {
    RuleTrace trace = reported();
    trace.passes(SECOND);
    trace.isBrokenBy(() -> trace.passes(SECOND)).hasMessageContaining("still has " + WORKER);
    for (Record recorded :
        List.of(
            new WorkerEnded(new ConnectionLost("x")),
            new WorkerAssumedGone(new WorkerId(WORKER), SECOND, "process"))) {
      RuleTrace ended = reported();
      ended.decidesOn(JOB_MANAGER, WORKER, recorded);
      ended.passes(SECOND);
      ended.passes(SECOND);
    }
  }

  @Test
  void timeCountsFromWhenTheWorkerIsKnown() {
    RuleTrace trace = new RuleTrace(new WorkerEndRules.ReportedWorkerEndsAreRecorded());
    trace.reportsWorkerEnd(JOB_MANAGER, WORKER);
    trace.passes(SECOND.multipliedBy(10));
    trace.decidesOn(JOB_MANAGER, WORKER, new WorkerFound());
    trace.passes(SECOND);
    trace.isBrokenBy(() -> trace.passes(SECOND));
  }

  @Test
  void deadFrozenOrReplacedResourceManagerNeedNotRecord() {
    RuleTrace dead = reported();
    dead.process(JOB_MANAGER).kill();
    dead.passes(SECOND.multipliedBy(2));

    RuleTrace frozen = reported();
    frozen.process(JOB_MANAGER).freeze();
    frozen.passes(SECOND.multipliedBy(5));
    frozen.process(JOB_MANAGER).thaw();
    frozen.passes(SECOND);
    frozen.isBrokenBy(() -> frozen.passes(SECOND));

    RuleTrace revoked = reported();
    revoked.revokes(JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, token(1));
    revoked.passes(SECOND.multipliedBy(2));

    RuleTrace next = reported();
    next.grants(JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 2);
    next.passes(SECOND.multipliedBy(2));

    RuleTrace other = reported();
    other.grants(OTHER_JOB_MANAGER, ComponentNames.RESOURCE_MANAGER, 2);
    other.passes(SECOND);
    other.isBrokenBy(() -> other.passes(SECOND));
  }

  @Test
  void jobOfAnotherIdIsNotConcerned() {
    RuleTrace trace = failing(0);
    JobId other = Samples.job(2);
    trace.decides(
        JOB_MANAGER, other, new CheckpointFailed(1, new CheckpointExpired(SECOND, List.of(), 1)));
    trace.passes(SECOND);
    trace.isOver(EMPTY_REPORT);
  }
}
