package io.millrace.sim.sabotage;

import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.protocol.ComponentNames;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.cluster.SimWiring;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** All the ways in which rules are broken on purpose. */
public final class Sabotages {
  private static final List<Sabotage> ALL =
      List.of(
          of(
              "unfenced-dispatcher",
              "The Dispatcher executes calls that were meant for another leader.",
              () -> new MessageSabotages.Unfenced(ComponentNames.DISPATCHER),
              "CallsAreFenced"),
          of(
              "unfenced-resourcemanager",
              "The ResourceManager executes calls that were meant for another leader.",
              () -> new MessageSabotages.Unfenced(ComponentNames.RESOURCE_MANAGER),
              "CallsAreFenced"),
          of(
              "unfenced-jobmaster",
              "JobMasters execute calls that were meant for another leader.",
              MessageSabotages.UnfencedJobMasters::new,
              "CallsAreFenced"),
          of(
              "stale-word-obeyed",
              "Workers deploy on the word of a JobMaster that they no longer follow.",
              MessageSabotages.StaleWordObeyed::new,
              "StaleWordIsIgnored",
              "BothSidesAgree"),
          of(
              "one-term-for-all",
              "JobMasters that follow each other act under the same term.",
              MessageSabotages.OneTermForAll::new,
              "OneJobMasterATerm",
              "AttemptsGrow"),
          of(
              "terms-reserved-once",
              "A JobManager that starts again does not reserve new terms.",
              StoreSabotages.TermsReservedOnce::new,
              "TermsGrow"),
          of(
              "strangers-offers",
              "Offers are accepted from workers that have not registered.",
              SlotSabotages.StrangersOffers::new,
              "BothSidesAgree",
              "UnmetHasAReason",
              "Settles"),
          of(
              "release-lost",
              "Slots that a job releases are not released at the worker.",
              SlotSabotages.ReleaseLost::new,
              "BothSidesAgree",
              "UnmetHasAReason"),
          of(
              "stale-report",
              "The ResourceManager believes an old report of a worker's slots.",
              SlotSabotages.StaleReport::new,
              "TakenSlotsAreNotAskedFor",
              "BothSidesAgree",
              "Settles"),
          of(
              "old-slots-kept",
              "A worker that registers again keeps the slots of its last registration.",
              SlotSabotages.OldSlotsKept::new,
              "BothSidesAgree",
              "UnmetHasAReason",
              "Settles"),
          of(
              "allocation-ignored",
              "Workers are released for being idle although their slots are allocated.",
              SlotSabotages.AllocationIgnored::new,
              "TakenSlotsAreNotAskedFor",
              "BothSidesAgree",
              "Settles",
              "NotMoreThanRequired"),
          of(
              "request-taken-twice",
              "A slot request that is repeated is not recognised and gets another slot.",
              SlotSabotages.RequestTakenTwice::new,
              "OffersWereGiven"),
          of(
              "job-end-untold",
              "Workers are not told that a job has ended.",
              SlotSabotages.JobEndUntold::new,
              "EndedJobsLeaveSoon"),
          of(
              "acknowledged-before-stored",
              "A job is acknowledged before it is stored.",
              StoreSabotages.AcknowledgedBeforeStored::new,
              "AcknowledgedIsKept"),
          of(
              "result-not-stored",
              "A job is cleaned up without its result having been stored.",
              StoreSabotages.ResultNotStored::new,
              "AcknowledgedIsKept"),
          of(
              "ended-jobs-recovered",
              "A new leader recovers jobs without looking whether they have ended.",
              StoreSabotages.EndedJobsRecovered::new,
              "EndedNeverRunsAgain",
              "NothingIsLeftOfEndedJobs"),
          of(
              "archive-forgets",
              "What is told of an ended job is not kept for the next leader.",
              StoreSabotages.ArchiveForgets::new,
              "EndedIsToldAsBefore"),
          of(
              "renewals-lost",
              "Workers go on with the tokens that they were given when they registered.",
              TokenAndResultSabotages.RenewalsLost::new,
              "TokensAreFresh"),
          of(
              "deletion-unheeded",
              "Workers keep results that they were told to delete.",
              TokenAndResultSabotages.DeletionUnheeded::new,
              "TrackedIsHeld",
              "NoneIsLeaked"),
          of(
              "jars-forgotten",
              "A worker deletes the jars of a job as soon as its classes are loaded.",
              JarSabotages.Forgotten::new,
              "TasksHaveTheirJars"),
          of(
              "placement-untrue",
              "A deployment says that tasks are where they are not.",
              MessageSabotages.PlacementUntrue::new,
              "PlacementIsTrue"),
          of(
              "results-concealed",
              "Workers do not tell what results they keep for later jobs.",
              TokenAndResultSabotages.ResultsConcealed::new,
              "DataIsUse",
              "TrackedIsHeld"),
          of(
              "cancel-unheeded",
              "A cancellation is accepted and not carried out.",
              MessageSabotages.CancelUnheeded::new,
              "CancelledEnds",
              "Settles"),
          of(
              "clients-forgotten",
              "A job that ends with its client is run as one that goes on without.",
              StoreSabotages.ClientsForgotten::new,
              "EndsWithItsClient"),
          of(
              "clients-unheard",
              "What clients say to show that they live gets lost.",
              MessageSabotages.ClientsUnheard::new,
              "EndsWithItsClient"),
          of(
              "counted-out-untold",
              "A worker that its driver takes for gone does not hear of it.",
              MessageSabotages.CountedOutUntold::new,
              "CountedOutEnds",
              "NoneIsIdleForLong"),
          of(
              "restarts-forgotten",
              "A job that may restart is run as one that may not.",
              StoreSabotages.RestartsForgotten::new,
              "FailsForACause"),
          of(
              "failure-without-reason",
              "A worker reports that a task failed and not why.",
              MessageSabotages.FailureWithoutReason::new,
              "NothingIsABug"),
          of(
              "ended-too-soon",
              "A restart deploys while the tasks of the last attempt still run.",
              TaskHostSabotages.EndedTooSoon::new,
              "OffersAreEmpty",
              "NoTwoAttempts",
              "WhatRunsFits",
              // The jars go with the last attempt that its worker knows of.
              "TasksHaveTheirJars"),
          of(
              "failure-told-early",
              "A worker reports that a task has failed which goes on beside its next attempt.",
              TaskHostSabotages.FailureToldEarly::new,
              "NoTwoAttempts",
              "WhatRunsFits",
              "NothingRestartsForNothing"),
          of(
              "failed-started-again",
              "A worker starts a failed attempt again by itself.",
              TaskHostSabotages.FailedStartedAgain::new,
              "DeployedOnce",
              "Settles"),
          of(
              "task-ends-untold",
              "A worker does not report that tasks have ended.",
              MessageSabotages.TaskEndsUntold::new,
              "ReportsAreComplete",
              "Settles",
              "FailsForACause"),
          of(
              "newest-registration-ignored",
              "Heartbeats under the newest registration of a worker do not count.",
              MessageSabotages.NewestRegistrationIgnored::new,
              "NobodyIsCalledSilentWhoAnswered"),
          of(
              "pending-forgotten",
              "Workers that were asked for and are not there yet are forgotten.",
              DriverSabotages.PendingForgotten::new,
              "NotMoreThanRequired",
              "WithinLimits"),
          of(
              "one-too-many",
              "One worker more is asked for than jobs require.",
              DriverSabotages.OneTooMany::new,
              "NotMoreThanRequired",
              "WithinLimits"),
          of(
              "limit-ignored",
              "More workers are asked for than the driver may start.",
              DriverSabotages.LimitIgnored::new,
              "WithinLimits"),
          of(
              "late-worker-kept",
              "A worker that comes after its request was cancelled is not given back.",
              DriverSabotages.LateWorkerKept::new,
              "NoneIsIdleForLong",
              "NoneIsLeaked"),
          of(
              "idle-kept",
              "Workers that are not needed any more are not given back.",
              DriverSabotages.IdleKept::new,
              "NoneIsIdleForLong",
              "NoneIsLeaked"),
          of(
              "stillborn-kept",
              "Workers that never registered are not given back.",
              DriverSabotages.StillbornKept::new,
              "NoneIsLeaked",
              "WithinLimits",
              "NotMoreThanRequired",
              "NobodyEndsForNothing"),
          of(
              "driver-throws",
              "The driver throws where it should only take note.",
              DriverSabotages.DriverThrows::new,
              "Sound"),
          of(
              "end-untold",
              "The driver is not told that the application is over.",
              DriverSabotages.EndUntold::new,
              "Goes",
              "TokensAreFresh"),
          of(
              "graphs-not-shared",
              "The graph of a job is kept where only the JobManager that took it finds it.",
              StoreSabotages.GraphsNotShared::new,
              "NobodyEndsForNothing"),
          of(
              "reason-withheld",
              "What a job waits for is not told.",
              MessageSabotages.ReasonWithheld::new,
              "UnmetHasAReason"),
          of(
              "revocation-unheard",
              "Nobody hears that it leads no more.",
              MessageSabotages.RevocationUnheard::new,
              "RevokedDecidesNothing"),
          of(
              "restarts-unlimited",
              "Jobs restart more often than they may.",
              StoreSabotages.RestartsUnlimited::new,
              "RestartsAreAllowed"),
          of(
              "attempts-miscounted",
              "Every attempt to run a subtask is called the first.",
              MessageSabotages.AttemptsMiscounted::new,
              "AttemptsGrow"),
          of(
              "deployment-torn",
              "A worker forgets one of the tasks that it has taken.",
              MessageSabotages.DeploymentTorn::new,
              "DeployedAsAWhole"),
          of(
              "graph-deleted-early",
              "The graph of a job is removed while the job is stored.",
              StoreSabotages.GraphDeletedEarly::new,
              "StoredJobsAreComplete"),
          of(
              "graphs-kept",
              "The graphs of jobs that have ended are not removed.",
              StoreSabotages.GraphsKept::new,
              "NothingIsLeftOfEndedJobs"),
          of(
              "questions-unheard",
              "Who is asked for heartbeats does not hear of it.",
              MessageSabotages.QuestionsUnheard::new,
              "NobodyIsMissedWhoAsked",
              "TakenSlotsAreNotAskedFor",
              "BothSidesAgree"),
          of(
              "last-request-lost",
              "Of several workers that are asked for the last one is forgotten.",
              DriverSabotages.LastRequestLost::new,
              "MissingWorkersAreAskedFor",
              "EnoughWorkersAreKept",
              "FailsForACause",
              "Settles"),
          of(
              "allocations-mistaken",
              "The ResourceManager knows the slots that jobs have by other ids than workers do.",
              SlotSabotages.AllocationsMistaken::new,
              "BothSidesAgree"),
          of(
              "offers-delayed",
              "The slots that workers offer to a job reach it minutes later.",
              SlotSabotages.OffersDelayed::new,
              "Settles",
              "FailsForACause"),
          of(
              "spares-forgotten",
              "Neither spares nor the configured minimum of workers are kept.",
              DriverSabotages.SparesForgotten::new,
              "EnoughWorkersAreKept"),
          of(
              "failed-start-told-late",
              "That a worker could not be started is told late.",
              DriverSabotages.FailureToldLate::new,
              "MissingWorkersAreAskedFor",
              "FailedStartsPause"),
          of(
              "failed-starts-repeated",
              "A worker that could not be started is asked for again at once.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real ->
                          real.with(
                              ResourceManagerOptions.START_WORKER_RETRY_INTERVAL, Duration.ZERO)),
              "FailedStartsPause"),
          of(
              "idle-slots-returned-early",
              "A job gives a slot back as soon as it does not use it.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real -> real.with(JobManagerOptions.SLOT_IDLE_TIMEOUT, Duration.ofMillis(1))),
              "IdleSlotsAreKept"),
          of(
              "idle-slots-kept",
              "A job keeps slots that it does not use.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real -> real.with(JobManagerOptions.SLOT_IDLE_TIMEOUT, Duration.ofHours(1))),
              "SurplusIsReturned",
              "Settles"),
          of(
              "slots-awaited-shortly",
              "A job that misses slots fails after a second.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real ->
                          real.with(JobManagerOptions.SLOT_REQUEST_TIMEOUT, Duration.ofSeconds(1))),
              "SlotsAreAwaited",
              "FailsForACause"),
          of(
              "blocks-cut-short",
              "A worker is blocked for a moment only.",
              NoticeSabotages.BlocksCutShort::new,
              "UsableWorkersAreAsked"),
          of(
              "tasks-concealed",
              "A worker does not report one of its tasks.",
              NoticeSabotages.TasksConcealed::new,
              "ReportsAreComplete"),
          of(
              "given-up-untold",
              "A worker that its JobMaster takes for lost does not hear of it.",
              NoticeSabotages.GivenUpUntold::new,
              "GivenUpTasksEnd"),
          of(
              "first-registration-told",
              "A worker that registers again is told its first registration.",
              NoticeSabotages.FirstRegistrationTold::new,
              "NewestAttemptCounts"),
          of(
              "processes-mistaken",
              "A process of a worker that takes the place of another is taken for the same one.",
              NoticeSabotages.ProcessesMistaken::new,
              "FormerProcessIsGivenUp"),
          of(
              "former-jobmaster-heard",
              "A ResourceManager hears a JobMaster that was replaced as if it still led its job.",
              NoticeSabotages.FormerJobMasterHeard::new,
              "SuccessorsAreHeard"),
          of(
              "withdrawn-leader-named",
              "A leader that has withdrawn is still named to those who ask for it.",
              NoticeSabotages.WithdrawnLeaderNamed::new,
              "GoneLeadersAreNotNamed"),
          of(
              "ends-unheard",
              "A ResourceManager does not hear from its driver that workers are gone.",
              DriverSabotages.EndsUnheard::new,
              "ToldEndsAreNoted"),
          of(
              "carved-reported-late",
              "Of slots that were carved to size a worker reports those of its last report.",
              SlotSabotages.CarvedReportedLate::new,
              "FreedSlotsStayFree",
              "BothSidesAgree",
              "Settles"),
          of(
              "snapshot-acknowledged-unstored",
              "A task reports its snapshot as stored before it is.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.ACKNOWLEDGED_UNSTORED),
              "NeededIsNotDeleted"),
          of(
              "barrier-overtakes",
              "A task takes its snapshot at the first barrier, before all inputs are aligned.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.BARRIER_OVERTAKES),
              "CountedOnce",
              "CommittedOnce"),
          of(
              "committed-early",
              "Sinks commit at the barrier, before the checkpoint has completed.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.COMMITTED_EARLY),
              "CommittedOnce"),
          of(
              "subsumed-early",
              "A checkpoint is deleted before the next one is in the recovery store.",
              CheckpointSabotages.SubsumedEarly::new,
              "NeededIsNotDeleted"),
          of(
              "wrong-key-groups",
              "Tasks restore key groups of their neighbours.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.WRONG_KEY_GROUPS),
              "CountedOnce"),
          of(
              "stale-restore",
              "A new leader restores a checkpoint that is not the latest.",
              CheckpointSabotages.StaleRestore::new,
              "LatestIsRestored",
              "CompletedIsKept",
              "NeededIsNotDeleted",
              "CountedOnce",
              "CommittedOnce"),
          of(
              "aborted-committed",
              "Sinks commit what belongs to an aborted checkpoint.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.ABORTED_COMMITTED),
              "CommittedOnce"),
          of(
              "finished-forgotten",
              "A task that had finished starts anew when its vertex is restored.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.FINISHED_FORGOTTEN),
              "CountedOnce",
              "CommittedOnce"),
          of(
              "checkpoints-left",
              "Directories of checkpoints are not deleted.",
              CheckpointSabotages.DirectoriesKept::new,
              "NothingIsLeftOfCheckpoints"));

  private Sabotages() {}

  public static List<Sabotage> all() {
    return ALL;
  }

  public static Optional<Sabotage> find(String name) {
    return all().stream().filter(sabotage -> sabotage.name().equals(name)).findFirst();
  }

  private static Sabotage of(
      String name, String breaks, Supplier<SimWiring> wiring, String... caughtBy) {
    return new Sabotage(name, breaks, List.of(caughtBy), wiring);
  }
}
