package io.millrace.sim.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All invariants. A new one is added to the list. */
public final class Invariants {
  private final List<Invariant> all;

  /** The invariants that have a method for a kind of fact, in the order of the list. */
  private final Map<Class<?>, Invariant[]> byFact = new HashMap<>();

  /** The invariants that check after each event. */
  private final Invariant[] afterEvents;

  public Invariants(SimulatedWorld world) {
    this(
        world,
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
            new RegistrationRules.RegistrationPausesAreRespected(),
            new TaskRules.TaskReportsAreComplete(),
            new TaskRules.TasksOfLostWorkersEnd(),
            new LeaderRules.LeaderTermsIncrease(),
            new LeaderRules.OneJobMasterPerTerm(),
            new LeaderRules.StaleLeadersAreFenced(),
            new LeaderRules.CallsAreFenced(),
            new LeaderRules.RevokedLeadersDoNotAct(),
            new LeaderRules.NewestJobMasterCounts(),
            new LeaderRules.WithdrawnLeadersAreNotPublished(),
            new CoordinatorRules.LivingContendersStay(),
            new CoordinatorRules.LeadersStopBeforeTheirSessionEnds(),
            new CoordinatorRules.FormerLeadersDoNotWrite(),
            new AttemptRules.ExecutionsAreDeployedOnce(),
            new AttemptRules.OneAttemptPerSubtask(),
            new AttemptRules.DeploymentsAreAtomic(),
            new AdoptionRules.LastAttemptIsAdopted(),
            new AdoptionRules.RegionsAreAdoptedAsAWhole(),
            new RestartRules.AttemptNumbersIncrease(),
            new RestartRules.RestartStrategyIsRespected(),
            new JobRules.AcknowledgedJobsAreKept(),
            new JobRules.EndedJobsNeverRunAgain(),
            new JobRules.EndedJobDetailsAreStable(),
            new JobRules.CancelledJobsEnd(),
            new JobFailureRules.JobFailureHasCause(),
            new JobRules.NoErrorOfKindBug(),
            new StoreRules.StoredJobsAreComplete(),
            new StoreRules.EndedJobsAreRemovedFromStorage(),
            new ClientRules.AttachedJobsEndWithTheirClient(),
            new WorkerLimitRules.WorkerLimitIsRespected(),
            new WorkerLimitRules.NoMoreWorkersThanRequired(),
            new WorkerRules.IdleWorkersAreReleased(),
            new WorkerRules.NoWorkerIsLeaked(),
            new DrainingRules.DrainingWorkersGetNoSlots(),
            new DrainingRules.DrainingWorkersAreReleased(),
            new WorkerEndRules.LostWorkersEnd(),
            new WorkerEndRules.ProcessExitHasCause(),
            new WorkerEndRules.ReportedWorkerEndsAreRecorded(),
            new WorkerEndRules.ReportedStartFailuresAreRecorded(),
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
            // Before the next one, which notices the same commits with less to say.
            new StopAndClaimRules.StoppedJobsEndAtTheirSavepoint(),
            new CommitRules.RecordsAreCommittedOnce(),
            new CheckpointRules.CheckpointsOfEndedJobsAreDeleted(),
            new EarlierRunRules.EarlierRunsAreLeftAlone(),
            new CheckpointOutcomeRules.FailedCheckpointsRestartJob(),
            new CheckpointOutcomeRules.SavepointsAreKept(),
            new CheckpointOutcomeRules.SubmittedStateIsRestored(),
            new CheckpointOutcomeRules.CheckpointFailureHasCause(),
            new CheckpointOutcomeRules.CheckpointOutcomesArrive(),
            new SnapshotRules.EndedTasksDeclineCheckpoints(),
            new StopAndClaimRules.ClaimedStateIsDeletedInTime()));
  }

  Invariants(SimulatedWorld world, List<Invariant> all) {
    this.all = all;
    all.forEach(invariant -> invariant.in(world));
    for (Class<?> kind : Fact.class.getPermittedSubclasses()) {
      Class<? extends Fact> fact = kind.asSubclass(Fact.class);
      byFact.put(
          fact, all.stream().filter(invariant -> invariant.wants(fact)).toArray(Invariant[]::new));
    }
    afterEvents = all.stream().filter(Invariant::checksAfterEvents).toArray(Invariant[]::new);
  }

  public List<Invariant> all() {
    return all;
  }

  public void seen(Fact fact) {
    for (Invariant invariant : byFact.get(fact.getClass())) {
      fact.showTo(invariant);
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
