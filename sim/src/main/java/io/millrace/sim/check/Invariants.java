package io.millrace.sim.check;

import java.util.List;

/** All invariants. A new one is added to the list. */
public final class Invariants {
  private final List<Invariant> all;

  /** The same as an array, because each fact iterates over it. */
  private final Invariant[] array;

  /** The invariants that check after each event. */
  private final Invariant[] afterEvents;

  public Invariants(SimulatedWorld world) {
    all =
        List.of(
            new SlotRules.TasksFitTheirSlots(),
            new SlotRules.OfferedSlotsWereAllocated(),
            new SlotRules.EndedJobsFreeTheirSlots(),
            new SlotRules.SlotOwnersAgree(),
            new HeldSlotRules.OfferedSlotsRunNoTask(),
            new HeldSlotRules.IdleSlotsAreKept(),
            new HeldSlotRules.SurplusSlotsAreReturned(),
            new SlotRequestRules.SlotsAreRequestedOfUsableWorkers(),
            new SlotRequestRules.OccupiedSlotsAreNotRequested(),
            new SlotRequestRules.SlotRequestTimeoutIsRespected(),
            new SlotRequestRules.FreedSlotsStayFree(),
            new RegistrationRules.NewestRegistrationCounts(),
            new RegistrationRules.FormerIncarnationIsDropped(),
            new TaskRules.TaskReportsAreComplete(),
            new TaskRules.TasksOfLostWorkersEnd(),
            new LeaderRules.LeaderTermsIncrease(),
            new LeaderRules.OneJobMasterPerTerm(),
            new LeaderRules.StaleLeadersAreFenced(),
            new LeaderRules.CallsAreFenced(),
            new LeaderRules.RevokedLeadersDoNotAct(),
            new LeaderRules.NewestJobMasterCounts(),
            new LeaderRules.WithdrawnLeadersAreNotPublished(),
            new AttemptRules.ExecutionsAreDeployedOnce(),
            new AttemptRules.OneAttemptPerSubtask(),
            new AttemptRules.DeploymentsAreAtomic(),
            new RestartRules.AttemptNumbersIncrease(),
            new RestartRules.RestartStrategyIsRespected(),
            new JobRules.AcknowledgedJobsAreKept(),
            new JobRules.EndedJobsNeverRunAgain(),
            new JobRules.EndedJobDetailsAreStable(),
            new JobRules.CancelledJobsEnd(),
            new JobRules.JobFailureHasCause(),
            new JobRules.NoErrorOfKindBug(),
            new StoreRules.StoredJobsAreComplete(),
            new StoreRules.EndedJobsAreRemovedFromStorage(),
            new ClientRules.AttachedJobsEndWithTheirClient(),
            new WorkerLimitRules.WorkerLimitIsRespected(),
            new WorkerLimitRules.NoMoreWorkersThanRequired(),
            new WorkerRules.IdleWorkersAreReleased(),
            new WorkerRules.NoWorkerIsLeaked(),
            new WorkerEndRules.LostWorkersEnd(),
            new WorkerEndRules.ProcessExitHasCause(),
            new WorkerEndRules.ReportedWorkerEndsAreRecorded(),
            new WorkerMinimumRules.MissingWorkersAreRequested(),
            new WorkerMinimumRules.MinimumAndSparesAreKept(),
            new WorkerMinimumRules.FailedStartsDelayRequests(),
            new HeartbeatRules.HeartbeatTimeoutHasCause(),
            new HeartbeatRules.LeaderHeartbeatTimeoutHasCause(),
            new ReasonRules.UnmetRequirementHasReason(),
            new TokenRules.TokensAreFresh(),
            new BlobRules.TasksHaveTheirJars(),
            new CauseRules.RestartHasCause(),
            new PlacementRules.PlacementIsCorrect(),
            new PartitionRules.TrackedPartitionsExist(),
            new PartitionRules.WorkersWithPartitionsAreNotIdle(),
            new CheckpointRules.StoredCheckpointsNeverRegress(),
            new CheckpointRules.NeededCheckpointsAreNotDeleted(),
            new CheckpointRules.LatestCheckpointIsRestored(),
            new CheckpointRules.RestoredStateIsConsistent(),
            new CommitRules.RecordsAreCommittedOnce(),
            new CheckpointRules.CheckpointsOfEndedJobsAreDeleted(),
            new CheckpointOutcomeRules.FailedCheckpointsRestartJob(),
            new CheckpointOutcomeRules.SavepointsAreKept(),
            new CheckpointOutcomeRules.SubmittedStateIsRestored(),
            new CheckpointOutcomeRules.CheckpointFailureHasCause(),
            new StopAndClaimRules.StoppedJobsEndAtTheirSavepoint(),
            new StopAndClaimRules.ClaimedStateIsDeletedInTime());
    all.forEach(invariant -> invariant.in(world));
    array = all.toArray(new Invariant[0]);
    afterEvents = all.stream().filter(Invariant::checksAfterEvents).toArray(Invariant[]::new);
  }

  public List<Invariant> all() {
    return all;
  }

  public void seen(Fact fact) {
    for (Invariant invariant : array) {
      invariant.seen(fact);
    }
  }

  public void afterEvent() {
    for (Invariant invariant : afterEvents) {
      invariant.afterEvent();
    }
  }

  public void settled(SimulatedWorld.ClusterReport report) {
    all.forEach(invariant -> invariant.settled(report));
  }

  public void over(SimulatedWorld.ClusterReport report) {
    all.forEach(invariant -> invariant.over(report));
  }
}
