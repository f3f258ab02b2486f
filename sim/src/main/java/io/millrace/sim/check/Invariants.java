package io.millrace.sim.check;

import java.util.List;

/** All that holds in every scenario. New ones are put into the list; each says what it holds. */
public final class Invariants {
  private final List<Invariant> all;

  /** The same without the cost of walking through a list for each fact. */
  private final Invariant[] told;

  /** Those that look after each event. */
  private final Invariant[] looking;

  public Invariants(SimulatedWorld world) {
    all =
        List.of(
            new SlotRules.WhatRunsFits(),
            new SlotRules.OffersWereGiven(),
            new SlotRules.EndedJobsLeaveSoon(),
            new SlotRules.BothSidesAgree(),
            new HoldingRules.OffersAreEmpty(),
            new HoldingRules.IdleSlotsAreKept(),
            new HoldingRules.SurplusIsReturned(),
            new RequestRules.UsableWorkersAreAsked(),
            new RequestRules.TakenSlotsAreNotAskedFor(),
            new RequestRules.SlotsAreAwaited(),
            new RequestRules.FreedSlotsStayFree(),
            new RegistrationRules.NewestAttemptCounts(),
            new RegistrationRules.FormerProcessIsGivenUp(),
            new TaskRules.ReportsAreComplete(),
            new TaskRules.GivenUpTasksEnd(),
            new LeaderRules.TermsGrow(),
            new LeaderRules.OneJobMasterATerm(),
            new LeaderRules.StaleWordIsIgnored(),
            new LeaderRules.CallsAreFenced(),
            new LeaderRules.RevokedDecidesNothing(),
            new LeaderRules.SuccessorsAreHeard(),
            new LeaderRules.GoneLeadersAreNotNamed(),
            new AttemptRules.DeployedOnce(),
            new AttemptRules.NoTwoAttempts(),
            new AttemptRules.DeployedAsAWhole(),
            new RestartRules.AttemptsGrow(),
            new RestartRules.RestartsAreAllowed(),
            new JobRules.AcknowledgedIsKept(),
            new JobRules.EndedNeverRunsAgain(),
            new JobRules.EndedIsToldAsBefore(),
            new JobRules.CancelledEnds(),
            new JobRules.FailsForACause(),
            new JobRules.NothingIsABug(),
            new StoreRules.StoredJobsAreComplete(),
            new StoreRules.NothingIsLeftOfEndedJobs(),
            new ClientRules.EndsWithItsClient(),
            new WorkerRules.WithinLimits(),
            new WorkerRules.NotMoreThanRequired(),
            new WorkerRules.NoneIsIdleForLong(),
            new WorkerRules.NoneIsLeaked(),
            new WorkerRules.CountedOutEnds(),
            new WorkerRules.NobodyEndsForNothing(),
            new WorkerRules.ToldEndsAreNoted(),
            new WorkerMinimumRules.MissingWorkersAreAskedFor(),
            new WorkerMinimumRules.EnoughWorkersAreKept(),
            new WorkerMinimumRules.FailedStartsPause(),
            new HeartbeatRules.NobodyIsCalledSilentWhoAnswered(),
            new HeartbeatRules.NobodyIsMissedWhoAsked(),
            new ReasonRules.UnmetHasAReason(),
            new TokenRules.TokensAreFresh(),
            new BlobRules.TasksHaveTheirJars(),
            new CauseRules.NothingRestartsForNothing(),
            new PlacementRules.PlacementIsTrue(),
            new DataRules.TrackedIsHeld(),
            new DataRules.DataIsUse(),
            new CheckpointRules.CompletedIsKept(),
            new CheckpointRules.NeededIsNotDeleted(),
            new CheckpointRules.LatestIsRestored(),
            new CheckpointRules.CountedOnce(),
            new CheckpointRules.CommittedOnce(),
            new CheckpointRules.NothingIsLeftOfCheckpoints());
    all.forEach(invariant -> invariant.in(world));
    told = all.toArray(new Invariant[0]);
    looking = all.stream().filter(Invariant::looks).toArray(Invariant[]::new);
  }

  public List<Invariant> all() {
    return all;
  }

  public void seen(Fact fact) {
    for (Invariant invariant : told) {
      invariant.seen(fact);
    }
  }

  public void afterEvent() {
    for (Invariant invariant : looking) {
      invariant.afterEvent();
    }
  }

  public void settled(SimulatedWorld.Story story) {
    all.forEach(invariant -> invariant.settled(story));
  }

  public void over(SimulatedWorld.Story story) {
    all.forEach(invariant -> invariant.over(story));
  }
}
