package io.millrace.sim.sabotage;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.protocol.ComponentNames;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All sabotages. */
public final class Sabotages {
  private static final List<Sabotage> OF_THE_CONTROL_PLANE =
      List.of(
          Sabotage.of(
              "unfenced-dispatcher",
              "The Dispatcher executes calls with the token of another leader.",
              () -> new LeaderSabotages.Unfenced(ComponentNames.DISPATCHER),
              "CallsAreFenced"),
          Sabotage.of(
              "unfenced-resourcemanager",
              "The ResourceManager executes calls with the token of another leader.",
              () -> new LeaderSabotages.Unfenced(ComponentNames.RESOURCE_MANAGER),
              "CallsAreFenced"),
          Sabotage.of(
              "unfenced-jobmaster",
              "JobMasters execute calls with the token of another leader.",
              LeaderSabotages.UnfencedJobMasters::new,
              "CallsAreFenced"),
          Sabotage.of(
              "stale-leader-obeyed",
              "Workers execute deployments of a JobMaster that they do not follow any more.",
              LeaderSabotages.StaleLeaderObeyed::new,
              "StaleLeadersAreFenced",
              "SlotOwnersAgree"),
          Sabotage.of(
              "same-term-for-jobmasters",
              "Successive JobMasters of a job act under the same term.",
              LeaderSabotages.SameTermForJobMasters::new,
              "OneJobMasterPerTerm",
              "AttemptNumbersIncrease"),
          Sabotage.of(
              "terms-reserved-once",
              "A restarted JobManager does not reserve new terms.",
              StoreSabotages.TermsReservedOnce::new,
              "LeaderTermsIncrease"),
          Sabotage.of(
              "offers-of-unregistered-workers",
              "Slot offers of workers that have not registered are accepted.",
              SlotSabotages.OffersOfUnregisteredWorkers::new,
              "SlotOwnersAgree",
              "UnmetRequirementHasReason",
              "JobsSettle"),
          Sabotage.of(
              "slot-release-lost",
              "Slots that a job releases are not freed at the worker.",
              SlotSabotages.SlotReleaseLost::new,
              "SlotOwnersAgree",
              "UnmetRequirementHasReason"),
          Sabotage.of(
              "stale-report",
              "The ResourceManager uses an old slot report of a worker.",
              SlotSabotages.StaleReport::new,
              "OccupiedSlotsAreNotRequested",
              "SlotOwnersAgree",
              "JobsSettle"),
          Sabotage.of(
              "old-slots-kept",
              "A worker that registers again keeps the slots of its previous registration.",
              SlotSabotages.OldSlotsKept::new,
              "SlotOwnersAgree",
              "UnmetRequirementHasReason",
              "JobsSettle"),
          Sabotage.of(
              "allocation-ignored",
              "Workers are released for being idle although their slots are allocated.",
              SlotSabotages.AllocationIgnored::new,
              "OccupiedSlotsAreNotRequested",
              "SlotOwnersAgree",
              "JobsSettle",
              "NoMoreWorkersThanRequired"),
          Sabotage.of(
              "slot-request-granted-twice",
              "A repeated slot request is not recognised and gets another slot.",
              SlotSabotages.SlotRequestGrantedTwice::new,
              "OfferedSlotsWereAllocated"),
          Sabotage.of(
              "job-end-not-sent",
              "Workers are not notified of the end of a job.",
              SlotSabotages.JobEndNotSent::new,
              "EndedJobsFreeTheirSlots"),
          Sabotage.of(
              "acknowledged-before-stored",
              "A job is acknowledged before it is stored.",
              StoreSabotages.AcknowledgedBeforeStored::new,
              "AcknowledgedJobsAreKept"),
          Sabotage.of(
              "result-not-stored",
              "A job is removed before its result is stored.",
              StoreSabotages.ResultNotStored::new,
              "AcknowledgedJobsAreKept"),
          Sabotage.of(
              "ended-jobs-recovered",
              "A new leader recovers jobs without checking for their results.",
              StoreSabotages.EndedJobsRecovered::new,
              "EndedJobsNeverRunAgain",
              "EndedJobsAreRemovedFromStorage"),
          Sabotage.of(
              "archive-not-written",
              "Details and journal of an ended job are not archived for the next leader.",
              StoreSabotages.ArchiveNotWritten::new,
              "EndedJobDetailsAreStable"),
          Sabotage.of(
              "token-renewals-lost",
              "Workers keep the tokens that they got at their registration.",
              TokenAndResultSabotages.TokenRenewalsLost::new,
              "TokensAreFresh"),
          Sabotage.of(
              "partition-deletion-ignored",
              "Workers keep cluster partitions that they have to delete.",
              TokenAndResultSabotages.PartitionDeletionIgnored::new,
              "TrackedPartitionsExist",
              "NoWorkerIsLeaked"),
          Sabotage.of(
              "jars-deleted-early",
              "A worker deletes the jars of a job as soon as its class loader exists.",
              JarSabotages.DeletedEarly::new,
              "TasksHaveTheirJars"),
          Sabotage.of(
              "placement-wrong",
              "A deployment has a wrong placement of tasks.",
              MessageSabotages.PlacementWrong::new,
              "PlacementIsCorrect"),
          Sabotage.of(
              "partitions-not-reported",
              "Workers do not report their cluster partitions.",
              TokenAndResultSabotages.PartitionsNotReported::new,
              "WorkersWithPartitionsAreNotIdle",
              "TrackedPartitionsExist"),
          Sabotage.of(
              "cancel-ignored",
              "A cancellation is accepted and not executed.",
              MessageSabotages.CancelIgnored::new,
              "CancelledJobsEnd",
              "JobsSettle"),
          Sabotage.of(
              "client-timeout-ignored",
              "A job that ends with its client runs without a client timeout.",
              StoreSabotages.ClientTimeoutIgnored::new,
              "AttachedJobsEndWithTheirClient"),
          Sabotage.of(
              "client-heartbeats-lost",
              "Heartbeats of clients are lost.",
              MessageSabotages.ClientHeartbeatsLost::new,
              "AttachedJobsEndWithTheirClient"),
          Sabotage.of(
              "worker-loss-not-sent",
              "A worker that its driver reports as ended is not notified.",
              MessageSabotages.WorkerLossNotSent::new,
              "LostWorkersEnd",
              "IdleWorkersAreReleased"),
          Sabotage.of(
              "restarts-disabled",
              "A job with a restart strategy runs without one.",
              StoreSabotages.RestartsDisabled::new,
              "JobFailureHasCause"),
          Sabotage.of(
              "failure-without-reason",
              "A worker reports the failure of a task without its cause.",
              MessageSabotages.FailureWithoutReason::new,
              "NoErrorOfKindBug"),
          Sabotage.of(
              "task-end-reported-early",
              "A restart deploys while the tasks of the last attempt still run.",
              TaskHostSabotages.TaskEndReportedEarly::new,
              "OfferedSlotsRunNoTask",
              "OneAttemptPerSubtask",
              "TasksFitTheirSlots",
              // The worker deletes the jars with the last attempt that it knows.
              "TasksHaveTheirJars"),
          Sabotage.of(
              "task-failure-reported-early",
              "A worker reports the failure of a task that still runs beside its next attempt.",
              TaskHostSabotages.TaskFailureReportedEarly::new,
              "OneAttemptPerSubtask",
              "TasksFitTheirSlots",
              "RestartHasCause"),
          Sabotage.of(
              "failed-attempt-restarted",
              "A worker starts a failed attempt again without its JobMaster.",
              TaskHostSabotages.FailedAttemptRestarted::new,
              "ExecutionsAreDeployedOnce",
              "JobsSettle"),
          Sabotage.of(
              "task-ends-not-reported",
              "A worker does not report the ends of tasks.",
              MessageSabotages.TaskEndsNotReported::new,
              "TaskReportsAreComplete",
              "JobsSettle",
              "JobFailureHasCause"),
          Sabotage.of(
              "newest-registration-ignored",
              "Heartbeats under the newest registration of a worker do not count.",
              MessageSabotages.NewestRegistrationIgnored::new,
              "HeartbeatTimeoutHasCause"),
          Sabotage.of(
              "pending-workers-forgotten",
              "Requested workers that have not started yet are forgotten.",
              DriverSabotages.PendingWorkersForgotten::new,
              "NoMoreWorkersThanRequired",
              "WorkerLimitIsRespected",
              "JobsSettle"),
          Sabotage.of(
              "one-worker-too-many",
              "One worker more is requested than jobs require.",
              DriverSabotages.OneWorkerTooMany::new,
              "NoMoreWorkersThanRequired",
              "WorkerLimitIsRespected",
              "FailedStartsDelayRequests"),
          Sabotage.of(
              "limit-ignored",
              "More workers are requested than the driver may start.",
              DriverSabotages.LimitIgnored::new,
              "WorkerLimitIsRespected"),
          Sabotage.of(
              "late-worker-kept",
              "A worker that starts after its request was cancelled is not released.",
              DriverSabotages.LateWorkerKept::new,
              "IdleWorkersAreReleased",
              "NoWorkerIsLeaked"),
          Sabotage.of(
              "idle-workers-kept",
              "Idle workers are not released.",
              DriverSabotages.IdleWorkersKept::new,
              "IdleWorkersAreReleased",
              "NoWorkerIsLeaked",
              "ProcessExitHasCause"),
          Sabotage.of(
              "unregistered-workers-kept",
              "Workers that never registered are not released.",
              DriverSabotages.UnregisteredWorkersKept::new,
              "NoWorkerIsLeaked",
              "WorkerLimitIsRespected",
              "NoMoreWorkersThanRequired",
              "ProcessExitHasCause"),
          Sabotage.of(
              "driver-throws",
              "The driver throws an exception instead of reporting an event.",
              DriverSabotages.DriverThrows::new,
              "NoUncaughtException"),
          Sabotage.of(
              "application-end-not-reported",
              "The driver does not get the outcome of the application.",
              DriverSabotages.ApplicationEndNotReported::new,
              "ApplicationEnds",
              "TokensAreFresh"),
          Sabotage.of(
              "graphs-not-shared",
              "The graph of a job can only be read by the JobManager that accepted it.",
              StoreSabotages.GraphsNotShared::new,
              "ProcessExitHasCause"),
          Sabotage.of(
              "reason-removed",
              "The reason for which a job waits is not reported.",
              MessageSabotages.ReasonRemoved::new,
              "UnmetRequirementHasReason"),
          Sabotage.of(
              "revocation-lost",
              "Leaders are not notified of their revocation.",
              LeaderSabotages.RevocationLost::new,
              "RevokedLeadersDoNotAct"),
          Sabotage.of(
              "restarts-unlimited",
              "Jobs restart more often than their strategy allows.",
              StoreSabotages.RestartsUnlimited::new,
              "RestartStrategyIsRespected"),
          Sabotage.of(
              "attempts-miscounted",
              "Every attempt to run a subtask has the first number.",
              MessageSabotages.AttemptsMiscounted::new,
              "AttemptNumbersIncrease"),
          Sabotage.of(
              "deployment-incomplete",
              "A worker loses one of the tasks of an acknowledged deployment.",
              MessageSabotages.DeploymentIncomplete::new,
              "DeploymentsAreAtomic"),
          Sabotage.of(
              "graph-deleted-early",
              "The graph of a job is deleted while the job is stored.",
              StoreSabotages.GraphDeletedEarly::new,
              "StoredJobsAreComplete"),
          Sabotage.of(
              "graphs-kept",
              "The graphs of ended jobs are not deleted.",
              StoreSabotages.GraphsKept::new,
              "EndedJobsAreRemovedFromStorage"),
          Sabotage.of(
              "heartbeat-requests-lost",
              "Heartbeat requests do not reach their receivers.",
              MessageSabotages.HeartbeatRequestsLost::new,
              "LeaderHeartbeatTimeoutHasCause",
              "OccupiedSlotsAreNotRequested",
              "SlotOwnersAgree"),
          Sabotage.of(
              "last-worker-request-lost",
              "The last of several requested workers is forgotten.",
              DriverSabotages.LastWorkerRequestLost::new,
              "MissingWorkersAreRequested",
              "MinimumAndSparesAreKept",
              "JobFailureHasCause",
              "JobsSettle"),
          Sabotage.of(
              "allocation-ids-changed",
              "The ResourceManager knows slots by other allocation ids than workers.",
              SlotSabotages.AllocationIdsChanged::new,
              "SlotOwnersAgree"),
          Sabotage.of(
              "offers-delayed",
              "Slot offers reach a job minutes late.",
              SlotSabotages.OffersDelayed::new,
              "JobsSettle",
              "JobFailureHasCause",
              "UnmetRequirementHasReason",
              "RestartHasCause"),
          Sabotage.of(
              "spares-not-kept",
              "Neither spares nor the configured minimum of workers are kept.",
              DriverSabotages.SparesNotKept::new,
              "MinimumAndSparesAreKept"),
          Sabotage.of(
              "failed-start-reported-late",
              "The failed start of a worker is reported late.",
              DriverSabotages.FailedStartReportedLate::new,
              "ReportedStartFailuresAreRecorded",
              "MissingWorkersAreRequested",
              "FailedStartsDelayRequests"),
          Sabotage.of(
              "failed-starts-repeated",
              "A worker whose start failed is requested again at once.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real ->
                          real.with(
                              ResourceManagerOptions.START_WORKER_RETRY_INTERVAL, Duration.ZERO)),
              "FailedStartsDelayRequests"),
          Sabotage.of(
              "idle-slots-returned-early",
              "A job returns a slot as soon as it does not use it.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real -> real.with(JobManagerOptions.SLOT_IDLE_TIMEOUT, Duration.ofMillis(1))),
              "IdleSlotsAreKept"),
          Sabotage.of(
              "idle-slots-kept",
              "A job keeps slots that it does not use.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real -> real.with(JobManagerOptions.SLOT_IDLE_TIMEOUT, Duration.ofHours(1))),
              "SurplusSlotsAreReturned",
              "JobsSettle"),
          Sabotage.of(
              "slot-request-timeout-short",
              "A job that misses slots fails after a second.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real ->
                          real.with(JobManagerOptions.SLOT_REQUEST_TIMEOUT, Duration.ofSeconds(1))),
              "SlotRequestTimeoutIsRespected",
              "JobFailureHasCause"),
          Sabotage.of(
              "blocks-expire-early",
              "Blocks expire after a moment.",
              NoticeSabotages.BlocksExpireEarly::new,
              "SlotsAreRequestedOfUsableWorkers"),
          Sabotage.of(
              "tasks-not-reported",
              "A worker does not report one of its tasks.",
              NoticeSabotages.TasksNotReported::new,
              "TaskReportsAreComplete"),
          Sabotage.of(
              "dropped-worker-not-notified",
              "A worker that its JobMaster takes for lost is not notified.",
              NoticeSabotages.DroppedWorkerNotNotified::new,
              "TasksOfLostWorkersEnd"),
          Sabotage.of(
              "first-registration-repeated",
              "A worker that registers again gets its first instance.",
              NoticeSabotages.FirstRegistrationRepeated::new,
              "NewestRegistrationCounts"),
          Sabotage.of(
              "registrations-hurried",
              "A JobMaster whose registration fails tries again at once.",
              () ->
                  new NoticeSabotages.OtherOptions(
                      real ->
                          real.with(ClusterOptions.ERROR_REGISTRATION_DELAY, Duration.ofMillis(1))),
              "RegistrationPausesAreRespected"),
          Sabotage.of(
              "incarnations-not-distinguished",
              "A new process of a worker is taken for its predecessor.",
              NoticeSabotages.IncarnationsNotDistinguished::new,
              "FormerIncarnationIsDropped"),
          Sabotage.of(
              "former-jobmaster-accepted",
              "A ResourceManager accepts messages of a replaced JobMaster.",
              NoticeSabotages.FormerJobMasterAccepted::new,
              "NewestJobMasterCounts"),
          Sabotage.of(
              "withdrawn-leader-published",
              "A leader that has withdrawn is still published.",
              NoticeSabotages.WithdrawnLeaderPublished::new,
              "WithdrawnLeadersAreNotPublished"),
          Sabotage.of(
              "worker-ends-lost",
              "A ResourceManager does not get the ends of workers from its driver.",
              DriverSabotages.WorkerEndsLost::new,
              "ReportedWorkerEndsAreRecorded"),
          Sabotage.of(
              "removals-not-announced",
              "A ResourceManager does not hear that a worker will be taken away.",
              DriverSabotages.AnnouncementsLost::new,
              "DrainingWorkersAreReleased",
              "DrainingWorkersGetNoSlots"),
          Sabotage.of(
              "carved-slots-reported-late",
              "A worker reports the carved slots of its previous report.",
              SlotSabotages.CarvedSlotsReportedLate::new,
              "FreedSlotsStayFree",
              "SlotOwnersAgree",
              "JobsSettle"));

  private Sabotages() {}

  public static List<Sabotage> all() {
    return Stream.of(
            OF_THE_CONTROL_PLANE,
            CheckpointSabotages.ALL,
            CoordinatorSabotages.ALL,
            AdoptionSabotages.ALL)
        .flatMap(List::stream)
        .toList();
  }

  public static Optional<Sabotage> find(String name) {
    return all().stream().filter(sabotage -> sabotage.name().equals(name)).findFirst();
  }
}
