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

/** All sabotages. */
public final class Sabotages {
  private static final List<Sabotage> ALL =
      List.of(
          of(
              "unfenced-dispatcher",
              "The Dispatcher executes calls with the token of another leader.",
              () -> new LeaderSabotages.Unfenced(ComponentNames.DISPATCHER),
              "CallsAreFenced"),
          of(
              "unfenced-resourcemanager",
              "The ResourceManager executes calls with the token of another leader.",
              () -> new LeaderSabotages.Unfenced(ComponentNames.RESOURCE_MANAGER),
              "CallsAreFenced"),
          of(
              "unfenced-jobmaster",
              "JobMasters execute calls with the token of another leader.",
              LeaderSabotages.UnfencedJobMasters::new,
              "CallsAreFenced"),
          of(
              "stale-leader-obeyed",
              "Workers execute deployments of a JobMaster that they do not follow any more.",
              LeaderSabotages.StaleLeaderObeyed::new,
              "StaleLeadersAreFenced",
              "SlotOwnersAgree"),
          of(
              "same-term-for-jobmasters",
              "Successive JobMasters of a job act under the same term.",
              LeaderSabotages.SameTermForJobMasters::new,
              "OneJobMasterPerTerm",
              "AttemptNumbersIncrease"),
          of(
              "terms-reserved-once",
              "A restarted JobManager does not reserve new terms.",
              StoreSabotages.TermsReservedOnce::new,
              "LeaderTermsIncrease"),
          of(
              "offers-of-unregistered-workers",
              "Slot offers of workers that have not registered are accepted.",
              SlotSabotages.OffersOfUnregisteredWorkers::new,
              "SlotOwnersAgree",
              "UnmetRequirementHasReason",
              "JobsSettle"),
          of(
              "slot-release-lost",
              "Slots that a job releases are not freed at the worker.",
              SlotSabotages.SlotReleaseLost::new,
              "SlotOwnersAgree",
              "UnmetRequirementHasReason"),
          of(
              "stale-report",
              "The ResourceManager uses an old slot report of a worker.",
              SlotSabotages.StaleReport::new,
              "OccupiedSlotsAreNotRequested",
              "SlotOwnersAgree",
              "JobsSettle"),
          of(
              "old-slots-kept",
              "A worker that registers again keeps the slots of its previous registration.",
              SlotSabotages.OldSlotsKept::new,
              "SlotOwnersAgree",
              "UnmetRequirementHasReason",
              "JobsSettle"),
          of(
              "allocation-ignored",
              "Workers are released for being idle although their slots are allocated.",
              SlotSabotages.AllocationIgnored::new,
              "OccupiedSlotsAreNotRequested",
              "SlotOwnersAgree",
              "JobsSettle",
              "NoMoreWorkersThanRequired"),
          of(
              "slot-request-granted-twice",
              "A repeated slot request is not recognised and gets another slot.",
              SlotSabotages.SlotRequestGrantedTwice::new,
              "OfferedSlotsWereAllocated"),
          of(
              "job-end-not-sent",
              "Workers are not notified of the end of a job.",
              SlotSabotages.JobEndNotSent::new,
              "EndedJobsFreeTheirSlots"),
          of(
              "acknowledged-before-stored",
              "A job is acknowledged before it is stored.",
              StoreSabotages.AcknowledgedBeforeStored::new,
              "AcknowledgedJobsAreKept"),
          of(
              "result-not-stored",
              "A job is removed before its result is stored.",
              StoreSabotages.ResultNotStored::new,
              "AcknowledgedJobsAreKept"),
          of(
              "ended-jobs-recovered",
              "A new leader recovers jobs without checking for their results.",
              StoreSabotages.EndedJobsRecovered::new,
              "EndedJobsNeverRunAgain",
              "EndedJobsAreRemovedFromStorage"),
          of(
              "archive-not-written",
              "Details and journal of an ended job are not archived for the next leader.",
              StoreSabotages.ArchiveNotWritten::new,
              "EndedJobDetailsAreStable"),
          of(
              "token-renewals-lost",
              "Workers keep the tokens that they got at their registration.",
              TokenAndResultSabotages.TokenRenewalsLost::new,
              "TokensAreFresh"),
          of(
              "partition-deletion-ignored",
              "Workers keep cluster partitions that they have to delete.",
              TokenAndResultSabotages.PartitionDeletionIgnored::new,
              "TrackedPartitionsExist",
              "NoWorkerIsLeaked"),
          of(
              "jars-deleted-early",
              "A worker deletes the jars of a job as soon as its class loader exists.",
              JarSabotages.DeletedEarly::new,
              "TasksHaveTheirJars"),
          of(
              "placement-wrong",
              "A deployment has a wrong placement of tasks.",
              MessageSabotages.PlacementWrong::new,
              "PlacementIsCorrect"),
          of(
              "partitions-not-reported",
              "Workers do not report their cluster partitions.",
              TokenAndResultSabotages.PartitionsNotReported::new,
              "WorkersWithPartitionsAreNotIdle",
              "TrackedPartitionsExist"),
          of(
              "cancel-ignored",
              "A cancellation is accepted and not executed.",
              MessageSabotages.CancelIgnored::new,
              "CancelledJobsEnd",
              "JobsSettle"),
          of(
              "client-timeout-ignored",
              "A job that ends with its client runs without a client timeout.",
              StoreSabotages.ClientTimeoutIgnored::new,
              "AttachedJobsEndWithTheirClient"),
          of(
              "client-heartbeats-lost",
              "Heartbeats of clients are lost.",
              MessageSabotages.ClientHeartbeatsLost::new,
              "AttachedJobsEndWithTheirClient"),
          of(
              "worker-loss-not-sent",
              "A worker that its driver reports as ended is not notified.",
              MessageSabotages.WorkerLossNotSent::new,
              "LostWorkersEnd",
              "IdleWorkersAreReleased"),
          of(
              "restarts-disabled",
              "A job with a restart strategy runs without one.",
              StoreSabotages.RestartsDisabled::new,
              "JobFailureHasCause"),
          of(
              "failure-without-reason",
              "A worker reports the failure of a task without its cause.",
              MessageSabotages.FailureWithoutReason::new,
              "NoErrorOfKindBug"),
          of(
              "task-end-reported-early",
              "A restart deploys while the tasks of the last attempt still run.",
              TaskHostSabotages.TaskEndReportedEarly::new,
              "OfferedSlotsRunNoTask",
              "OneAttemptPerSubtask",
              "TasksFitTheirSlots",
              // The worker deletes the jars with the last attempt that it knows.
              "TasksHaveTheirJars"),
          of(
              "task-failure-reported-early",
              "A worker reports the failure of a task that still runs beside its next attempt.",
              TaskHostSabotages.TaskFailureReportedEarly::new,
              "OneAttemptPerSubtask",
              "TasksFitTheirSlots",
              "RestartHasCause"),
          of(
              "failed-attempt-restarted",
              "A worker starts a failed attempt again without its JobMaster.",
              TaskHostSabotages.FailedAttemptRestarted::new,
              "ExecutionsAreDeployedOnce",
              "JobsSettle"),
          of(
              "task-ends-not-reported",
              "A worker does not report the ends of tasks.",
              MessageSabotages.TaskEndsNotReported::new,
              "TaskReportsAreComplete",
              "JobsSettle",
              "JobFailureHasCause"),
          of(
              "newest-registration-ignored",
              "Heartbeats under the newest registration of a worker do not count.",
              MessageSabotages.NewestRegistrationIgnored::new,
              "HeartbeatTimeoutHasCause"),
          of(
              "pending-workers-forgotten",
              "Requested workers that have not started yet are forgotten.",
              DriverSabotages.PendingWorkersForgotten::new,
              "NoMoreWorkersThanRequired",
              "WorkerLimitIsRespected",
              "JobsSettle"),
          of(
              "one-worker-too-many",
              "One worker more is requested than jobs require.",
              DriverSabotages.OneWorkerTooMany::new,
              "NoMoreWorkersThanRequired",
              "WorkerLimitIsRespected",
              "FailedStartsDelayRequests"),
          of(
              "limit-ignored",
              "More workers are requested than the driver may start.",
              DriverSabotages.LimitIgnored::new,
              "WorkerLimitIsRespected"),
          of(
              "late-worker-kept",
              "A worker that starts after its request was cancelled is not released.",
              DriverSabotages.LateWorkerKept::new,
              "IdleWorkersAreReleased",
              "NoWorkerIsLeaked"),
          of(
              "idle-workers-kept",
              "Idle workers are not released.",
              DriverSabotages.IdleWorkersKept::new,
              "IdleWorkersAreReleased",
              "NoWorkerIsLeaked",
              "ProcessExitHasCause"),
          of(
              "unregistered-workers-kept",
              "Workers that never registered are not released.",
              DriverSabotages.UnregisteredWorkersKept::new,
              "NoWorkerIsLeaked",
              "WorkerLimitIsRespected",
              "NoMoreWorkersThanRequired",
              "ProcessExitHasCause"),
          of(
              "driver-throws",
              "The driver throws an exception instead of reporting an event.",
              DriverSabotages.DriverThrows::new,
              "NoUncaughtException"),
          of(
              "application-end-not-reported",
              "The driver does not get the outcome of the application.",
              DriverSabotages.ApplicationEndNotReported::new,
              "ApplicationEnds",
              "TokensAreFresh"),
          of(
              "graphs-not-shared",
              "The graph of a job can only be read by the JobManager that accepted it.",
              StoreSabotages.GraphsNotShared::new,
              "ProcessExitHasCause"),
          of(
              "reason-removed",
              "The reason for which a job waits is not reported.",
              MessageSabotages.ReasonRemoved::new,
              "UnmetRequirementHasReason"),
          of(
              "revocation-lost",
              "Leaders are not notified of their revocation.",
              LeaderSabotages.RevocationLost::new,
              "RevokedLeadersDoNotAct"),
          of(
              "restarts-unlimited",
              "Jobs restart more often than their strategy allows.",
              StoreSabotages.RestartsUnlimited::new,
              "RestartStrategyIsRespected"),
          of(
              "attempts-miscounted",
              "Every attempt to run a subtask has the first number.",
              MessageSabotages.AttemptsMiscounted::new,
              "AttemptNumbersIncrease"),
          of(
              "deployment-incomplete",
              "A worker loses one of the tasks of an acknowledged deployment.",
              MessageSabotages.DeploymentIncomplete::new,
              "DeploymentsAreAtomic"),
          of(
              "graph-deleted-early",
              "The graph of a job is deleted while the job is stored.",
              StoreSabotages.GraphDeletedEarly::new,
              "StoredJobsAreComplete"),
          of(
              "graphs-kept",
              "The graphs of ended jobs are not deleted.",
              StoreSabotages.GraphsKept::new,
              "EndedJobsAreRemovedFromStorage"),
          of(
              "heartbeat-requests-lost",
              "Heartbeat requests do not reach their receivers.",
              MessageSabotages.HeartbeatRequestsLost::new,
              "LeaderHeartbeatTimeoutHasCause",
              "OccupiedSlotsAreNotRequested",
              "SlotOwnersAgree"),
          of(
              "last-worker-request-lost",
              "The last of several requested workers is forgotten.",
              DriverSabotages.LastWorkerRequestLost::new,
              "MissingWorkersAreRequested",
              "MinimumAndSparesAreKept",
              "JobFailureHasCause",
              "JobsSettle"),
          of(
              "allocation-ids-changed",
              "The ResourceManager knows slots by other allocation ids than workers.",
              SlotSabotages.AllocationIdsChanged::new,
              "SlotOwnersAgree"),
          of(
              "offers-delayed",
              "Slot offers reach a job minutes late.",
              SlotSabotages.OffersDelayed::new,
              "JobsSettle",
              "JobFailureHasCause",
              "UnmetRequirementHasReason",
              "RestartHasCause"),
          of(
              "spares-not-kept",
              "Neither spares nor the configured minimum of workers are kept.",
              DriverSabotages.SparesNotKept::new,
              "MinimumAndSparesAreKept"),
          of(
              "failed-start-reported-late",
              "The failed start of a worker is reported late.",
              DriverSabotages.FailedStartReportedLate::new,
              "MissingWorkersAreRequested",
              "FailedStartsDelayRequests"),
          of(
              "failed-starts-repeated",
              "A worker whose start failed is requested again at once.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real ->
                          real.with(
                              ResourceManagerOptions.START_WORKER_RETRY_INTERVAL, Duration.ZERO)),
              "FailedStartsDelayRequests"),
          of(
              "idle-slots-returned-early",
              "A job returns a slot as soon as it does not use it.",
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
              "SurplusSlotsAreReturned",
              "JobsSettle"),
          of(
              "slot-request-timeout-short",
              "A job that misses slots fails after a second.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real ->
                          real.with(JobManagerOptions.SLOT_REQUEST_TIMEOUT, Duration.ofSeconds(1))),
              "SlotRequestTimeoutIsRespected",
              "JobFailureHasCause"),
          of(
              "blocks-expire-early",
              "Blocks expire after a moment.",
              NoticeSabotages.BlocksExpireEarly::new,
              "SlotsAreRequestedOfUsableWorkers"),
          of(
              "tasks-not-reported",
              "A worker does not report one of its tasks.",
              NoticeSabotages.TasksNotReported::new,
              "TaskReportsAreComplete"),
          of(
              "dropped-worker-not-notified",
              "A worker that its JobMaster takes for lost is not notified.",
              NoticeSabotages.DroppedWorkerNotNotified::new,
              "TasksOfLostWorkersEnd"),
          of(
              "first-registration-repeated",
              "A worker that registers again gets its first instance.",
              NoticeSabotages.FirstRegistrationRepeated::new,
              "NewestRegistrationCounts"),
          of(
              "incarnations-not-distinguished",
              "A new process of a worker is taken for its predecessor.",
              NoticeSabotages.IncarnationsNotDistinguished::new,
              "FormerIncarnationIsDropped"),
          of(
              "former-jobmaster-accepted",
              "A ResourceManager accepts messages of a replaced JobMaster.",
              NoticeSabotages.FormerJobMasterAccepted::new,
              "NewestJobMasterCounts"),
          of(
              "withdrawn-leader-published",
              "A leader that has withdrawn is still published.",
              NoticeSabotages.WithdrawnLeaderPublished::new,
              "WithdrawnLeadersAreNotPublished"),
          of(
              "worker-ends-lost",
              "A ResourceManager does not get the ends of workers from its driver.",
              DriverSabotages.WorkerEndsLost::new,
              "ReportedWorkerEndsAreRecorded"),
          of(
              "carved-slots-reported-late",
              "A worker reports the carved slots of its previous report.",
              SlotSabotages.CarvedSlotsReportedLate::new,
              "FreedSlotsStayFree",
              "SlotOwnersAgree",
              "JobsSettle"),
          of(
              "snapshot-acknowledged-unstored",
              "A task reports its snapshot as stored before it is.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.ACKNOWLEDGED_UNSTORED),
              "NeededCheckpointsAreNotDeleted"),
          of(
              "barrier-not-aligned",
              "A task takes its snapshot at the first barrier, before all inputs are aligned.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.BARRIER_NOT_ALIGNED),
              "RestoredStateIsConsistent",
              "RecordsAreCommittedOnce"),
          of(
              "committed-early",
              "Sinks commit at the barrier, before the checkpoint has completed.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.COMMITTED_EARLY),
              "RecordsAreCommittedOnce"),
          of(
              "checkpoint-deleted-early",
              "A checkpoint is deleted before the next one is in the recovery store.",
              CheckpointSabotages.CheckpointDeletedEarly::new,
              "NeededCheckpointsAreNotDeleted"),
          of(
              "shared-files-uncounted",
              "A shared file is deleted with the checkpoint that has written it.",
              CheckpointSabotages.SharedFilesUncounted::new,
              "NeededCheckpointsAreNotDeleted"),
          of(
              "unconfirmed-files-shared",
              "A checkpoint refers to shared files of one that is not known to be complete.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.UNCONFIRMED_FILES_SHARED),
              "NeededCheckpointsAreNotDeleted"),
          of(
              "wrong-key-groups",
              "Tasks restore key groups of their neighbours.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.WRONG_KEY_GROUPS),
              "RestoredStateIsConsistent"),
          of(
              "stale-restore",
              "A new leader restores a checkpoint that is not the latest.",
              CheckpointSabotages.StaleRestore::new,
              "LatestCheckpointIsRestored",
              "StoredCheckpointsNeverRegress",
              "NeededCheckpointsAreNotDeleted",
              "RestoredStateIsConsistent",
              "RecordsAreCommittedOnce"),
          of(
              "aborted-checkpoint-committed",
              "Sinks commit the output of an aborted checkpoint.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.ABORTED_CHECKPOINT_COMMITTED),
              "RecordsAreCommittedOnce"),
          of(
              "finished-tasks-restarted",
              "A finished task starts again when its vertex is restored.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.FINISHED_TASKS_RESTARTED),
              "RestoredStateIsConsistent",
              "RecordsAreCommittedOnce"),
          of(
              "checkpoint-directories-kept",
              "Directories of checkpoints are not deleted.",
              CheckpointSabotages.DirectoriesKept::new,
              "CheckpointsOfEndedJobsAreDeleted"),
          of(
              "newest-checkpoint-skipped",
              "A new leader takes the newest checkpoint for damaged, although it is not.",
              CheckpointSabotages.NewestCheckpointSkipped::new,
              "LatestCheckpointIsRestored",
              "StoredCheckpointsNeverRegress",
              "JobFailureHasCause"),
          of(
              "savepoint-subsumed",
              "A savepoint is deleted when a later checkpoint completes.",
              CheckpointSabotages.SavepointsSubsumed::new,
              "SavepointsAreKept",
              "NeededCheckpointsAreNotDeleted",
              "JobFailureHasCause"),
          of(
              "submitted-state-ignored",
              "A job that is submitted with a checkpoint starts without its state.",
              StoreSabotages.SubmittedStateIgnored::new,
              "SubmittedStateIsRestored"),
          of(
              "lists-not-split",
              "With another parallelism each subtask gets whole pieces of list state.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.LISTS_NOT_SPLIT),
              "SubmittedStateIsRestored",
              "RestoredStateIsConsistent"),
          of(
              "failed-checkpoints-tolerated",
              "A job does not restart after too many failed checkpoints.",
              StoreSabotages.FailedCheckpointsTolerated::new,
              "FailedCheckpointsRestartJob"),
          of(
              "awaited-checkpoint-not-reported",
              "Tasks do not report that they have ended their input and await a checkpoint.",
              CheckpointSabotages.AwaitingNotReported::new,
              "JobsSettle"),
          of(
              "ending-task-declines-as-failed",
              "A task that ends declines a checkpoint as if its snapshot had failed.",
              CheckpointSabotages.EndingReportedAsFailure::new,
              "CheckpointFailureHasCause"),
          of(
              "stop-ignored-by-sources",
              "Sources emit records after the savepoint that stops the job.",
              () -> new CheckpointSabotages.Flawed(SimDataflow.Flaw.STOP_IGNORED),
              "StoppedJobsEndAtTheirSavepoint",
              "RecordsAreCommittedOnce"),
          of(
              "claimed-state-deleted-early",
              "A claimed checkpoint is deleted before the first one of the job is complete.",
              CheckpointSabotages.ClaimedStateDeletedEarly::new,
              "ClaimedStateIsDeletedInTime",
              "SavepointsAreKept",
              "NeededCheckpointsAreNotDeleted"),
          of(
              "claimed-savepoint-kept",
              "A savepoint that a job has claimed is not deleted.",
              CheckpointSabotages.ClaimedSavepointKept::new,
              "ClaimedStateIsDeletedInTime"));

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
