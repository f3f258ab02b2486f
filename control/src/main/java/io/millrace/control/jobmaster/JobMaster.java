package io.millrace.control.jobmaster;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.checkpoint.CheckpointCoordinator;
import io.millrace.control.checkpoint.CheckpointSettings;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.scheduler.ClockReading;
import io.millrace.control.scheduler.RegionAdoption;
import io.millrace.control.scheduler.Scheduler;
import io.millrace.control.scheduler.SchedulerAction;
import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.config.MetricOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.log.LogContext;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.CheckpointAnswer;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.DispatcherGateway.JobMetrics;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.CancelRequested;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.KeptTasksAwaited;
import io.millrace.protocol.journal.JobMasterEvent.RequirementsRefused;
import io.millrace.protocol.journal.JobMasterEvent.SlotReturned;
import io.millrace.protocol.journal.JobMasterEvent.StateRestored;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.JobMasterEvent.TasksAdopted;
import io.millrace.protocol.reason.JobReason.CollectedRecordsRead;
import io.millrace.protocol.reason.JobReason.JobEndReported;
import io.millrace.protocol.reason.JobReason.JobMasterStops;
import io.millrace.protocol.reason.JobReason.JobOver;
import io.millrace.protocol.reason.JobReason.SlotTakenBack;
import io.millrace.protocol.reason.JobReason.WorkerConnectionLost;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.PeerReason.DeploymentUnconfirmed;
import io.millrace.protocol.reason.PeerReason.Superseded;
import io.millrace.protocol.reason.PeerReason.WrongJobMaster;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.registration.ConnectionLoss;
import io.millrace.rpc.registration.FollowerRegistry;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.checkpoint.UnusableStateException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a job for one term. Decisions are made by the {@link Scheduler} and the {@link SlotPool};
 * this endpoint turns messages into events and actions into messages.
 */
final class JobMaster extends Endpoint
    implements JobMasterGateway, FollowerRegistry.Leader<JobTaskManagerRegistry.Link> {
  private static final Logger LOG = LoggerFactory.getLogger(JobMaster.class);
  private static final CompletableFuture<Acknowledge> DONE =
      CompletableFuture.completedFuture(Acknowledge.INSTANCE);

  /**
   * The bits of a deployment number below the term, so that deployment numbers grow across leaders.
   */
  private static final int NUMBERS_PER_TERM_BITS = 20;

  private final ClusterServices cluster;
  private final AcceptedJob job;
  private final LeaderToken leader;
  private final JobStores stores;

  /** What the job starts with under this leader. */
  private final TaskRecovery state;

  private final Consumer<JobTermination> ended;
  private final CollectedRecordsBuffer collected = new CollectedRecordsBuffer();
  private final AlignmentGroups alignmentGroups = new AlignmentGroups();
  private final Deque<SchedulerAction> actions = new ArrayDeque<>();
  private final JobJournal journal;
  private SlotPoolService slots;
  private Scheduler scheduler;
  private JobTaskManagerRegistry workers;
  private TaskManagerCalls calls;
  private PendingFetches fetches;
  private JobCheckpoints checkpoints;
  private MetricFetcher metrics;

  /** Stores deployments before they are sent; empty if the next leader adopts no tasks. */
  private Optional<DeploymentRecords> records = Optional.empty();

  private TaskAdoption adoption;

  /** Whether the job has ended or this JobMaster stops. */
  private boolean closed;

  /**
   * @param ended called once in this mailbox when the job has ended
   */
  JobMaster(
      ClusterServices cluster,
      LeaderToken token,
      AcceptedJob job,
      JobStores stores,
      TaskRecovery state,
      Consumer<JobTermination> ended) {
    super(
        cluster.rpc(),
        ComponentNames.jobMaster(job.id()),
        Optional.of(token),
        LogContext.ofJob(job.id()));
    this.cluster = cluster;
    this.leader = token;
    this.job = job;
    this.stores = stores;
    this.state = state;
    this.ended = ended;
    this.journal = new JobJournal(job.id(), this::record, env::nanos);
  }

  @Override
  protected void onStart() {
    Configuration settings = job.settings(cluster.configuration());
    workers = new JobTaskManagerRegistry(cluster, mailbox, this);
    calls = new TaskManagerCalls(job, leader, workers);
    fetches = new PendingFetches(mailbox, collected);
    metrics =
        new MetricFetcher(
            job.id(), settings.get(MetricOptions.FETCHER_UPDATE_INTERVAL), workers, calls, env);
    slots =
        new SlotPoolService(
            cluster,
            mailbox,
            new RegisterJobMaster(job.id(), leader, address()),
            settings,
            journal,
            this::returnSlot);
    scheduler =
        new Scheduler(
            job.graph(),
            settings,
            slots.pool(),
            leader.term() << NUMBERS_PER_TERM_BITS,
            env.random("executions-" + job.id() + "-" + leader.term()),
            now());
    checkpoints = checkpoints(settings);
    journal.note(new JobMasterStarted(leader.term()));
    state.checkpoints().abandoned().forEach(journal::checkpoint);
    if (TaskRecovery.keepsTasks(job.graph(), settings)) {
      records =
          Optional.of(
              new DeploymentRecords(env, mailbox, job.id(), leader.term(), stores.deployments()));
    }
    adoption = new TaskAdoption(mailbox, this::adopt);
    if (records.isPresent() && state.mayAdopt()) {
      RegionAdoption kept = scheduler.adoption(state.deployment(), state.outcomes().completed());
      journal.note(new KeptTasksAwaited(kept.tasks(), kept.workers().size()));
      adoption.await(kept, settings.get(ExecutionOptions.PREVIOUS_WORKER_TIMEOUT));
    } else {
      perform(scheduler.start(now()));
    }
  }

  @Override
  public CompletableFuture<Acknowledge> reportKeptTasks(KeptTasks report) {
    Optional<JobTaskManagerRegistry.Link> link = workers.find(report.worker());
    if (!closed
        && link.isPresent()
        && link.get().registration.incarnation() == report.incarnation()) {
      adoption.reported(report);
    }
    return DONE;
  }

  /** Starts the job with the tasks that have been reported, unless it is ending already. */
  private void adopt(RegionAdoption kept) {
    if (!closed && scheduler.status() == JobStatus.CREATED) {
      decide(() -> scheduler.start(kept, now()));
    }
  }

  private void adopt(SchedulerAction.Adopt adopt) {
    LOG.info("Job {} adopts {} tasks and restarts {}", job.id(), adopt.tasks(), adopt.restarted());
    journal.note(new TasksAdopted(adopt.tasks(), adopt.restarted()));
    List<WorkerId> others = new ArrayList<>();
    workers.all().forEach(link -> others.add(link.worker()));
    for (SchedulerAction.Share share : adopt.shares()) {
      others.remove(share.worker());
      JobTaskManagerRegistry.Link link = workers.find(share.worker()).orElseThrow();
      calls
          .adopt(link, share, state.outcomes())
          .whenComplete((done, failure) -> adopted(link, share, failure));
    }
    calls.adoptNone(others, state.outcomes());
  }

  private void adopted(
      JobTaskManagerRegistry.Link link, SchedulerAction.Share share, Throwable failure) {
    if (closed || !workers.has(link)) {
      return; // the loss of the worker was handled
    }
    if (failure == null) {
      scheduler.deployed(share);
    } else {
      notDeployed(link, share, Optional.empty(), failure);
    }
  }

  private JobCheckpoints checkpoints(Configuration settings) {
    return new JobCheckpoints(
        env,
        mailbox,
        new JobCheckpoints.Owner(
            job.id(), calls, scheduler::tasksFinish, this::checkpointsFail, journal::checkpoint),
        new JobCheckpointStorage(
            env,
            mailbox,
            new JobCheckpointStorage.Entry(
                job.id(), leader.term(), state.checkpoints().directory()),
            stores.checkpoints(),
            settings),
        new CheckpointCoordinator(
            job.graph(),
            CheckpointSettings.of(settings),
            scheduler::checkpointPlan,
            state.checkpoints()));
  }

  private void checkpointsFail(Reason reason) {
    if (!closed) {
      Failure failure = Failure.of(ErrorKind.EXTERNAL, ReasonText.of(reason));
      decide(() -> scheduler.restartAll(failure, now()));
    }
  }

  /**
   * The ResourceManager accepts only the published leader of a job, so registration starts here.
   */
  void published() {
    mailbox.post(
        () -> {
          if (!closed) {
            slots.start();
          }
        });
  }

  @Override
  protected CompletableFuture<Void> onStop() {
    if (!closed) {
      closed = true;
      LOG.info("Job {} {} -> SUSPENDED (its JobMaster stops)", job.id(), scheduler.status());
      scheduler.suspend(now());
      checkpoints.end();
      journal.note(new StatusChanged(JobStatus.SUSPENDED, new JobMasterStops(leader.term())));
      disconnectAll(false, new JobMasterStops(leader.term()));
    }
    records.ifPresent(DeploymentRecords::close);
    fetches.close();
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<WorkerReply> registerWorker(RegisterAtJobMaster request) {
    if (closed || !request.job().equals(job.id())) {
      Reason reason = closed ? new JobEndReported() : new WrongJobMaster(job.id());
      return CompletableFuture.completedFuture(
          new WorkerReply(RegistrationStatus.REJECTED, Optional.of(reason), Optional.empty()));
    }
    Optional<JobTaskManagerRegistry.Link> known = workers.find(request.worker());
    long incarnation = known.map(link -> link.registration.incarnation()).orElse(Long.MIN_VALUE);
    if (known.isPresent() && request.incarnation() < incarnation) {
      return CompletableFuture.completedFuture(
          new WorkerReply(
              RegistrationStatus.REJECTED,
              Optional.of(new Superseded(request.worker())),
              Optional.empty()));
    }
    if (known.isEmpty() || !known.get().registration.equals(request)) {
      known.ifPresent(link -> lost(link, new Superseded(request.worker())));
      workers.add(request);
      scheduler.workerRegistered(request.worker(), request.dataAddress());
      LOG.info("Job {}: worker {} registered", job.id(), request.worker());
      journal.workerRegistered(request.worker(), workers.count());
    }
    return CompletableFuture.completedFuture(
        new WorkerReply(
            RegistrationStatus.ACCEPTED,
            Optional.empty(),
            Optional.of(new WorkerRegistered(leader, records.isPresent(), adoption.isOpen()))));
  }

  @Override
  public CompletableFuture<OfferReply> offerSlots(OfferSlots offer) {
    Optional<JobTaskManagerRegistry.Link> link = workers.find(offer.worker());
    if (closed || link.isEmpty() || link.get().registration.incarnation() != offer.incarnation()) {
      return CompletableFuture.completedFuture(new OfferReply(false, List.of()));
    }
    adoption.offered(offer);
    List<AllocationId> accepted = new ArrayList<>();
    List<SchedulerAction> actionsOfEvent =
        scheduler.offer(offer.worker(), offer.offers(), accepted, now());
    journal.slotsAccepted(offer, accepted, slots.pool());
    perform(actionsOfEvent);
    return CompletableFuture.completedFuture(new OfferReply(true, accepted));
  }

  @Override
  public CompletableFuture<Acknowledge> updateTasks(TaskUpdates updates) {
    if (!closed) {
      journal.updated(updates);
      alignmentGroups.ended(
          updates.updates().stream()
              .filter(update -> update.state().isTerminal())
              .map(TaskUpdate::execution)
              .toList());
      decide(() -> scheduler.tasksUpdated(updates.worker(), updates.updates(), now()));
    }
    if (!closed) {
      checkpoints.tasksUpdated(updates.updates());
    }
    return DONE;
  }

  @Override
  public CompletableFuture<Acknowledge> collect(CollectedPart part) {
    OptionalInt region = closed ? OptionalInt.empty() : scheduler.regionOf(part.execution());
    if (region.isEmpty()) {
      return DONE; // The task is being cancelled: its records are discarded.
    }
    CompletableFuture<Acknowledge> accepted = new CompletableFuture<>();
    collected.add(
        region.getAsInt(),
        part.name(),
        part.records(),
        () -> accepted.complete(Acknowledge.INSTANCE));
    fetches.recordsAdded();
    return accepted;
  }

  @Override
  public CompletableFuture<Acknowledge> acknowledgeCheckpoint(AcknowledgeCheckpoint snapshots) {
    if (!closed) {
      checkpoints.acknowledged(snapshots);
    }
    return DONE;
  }

  @Override
  public CompletableFuture<Acknowledge> declineCheckpoint(DeclineCheckpoint notice) {
    if (!closed) {
      checkpoints.declined(notice);
    }
    return DONE;
  }

  @Override
  public CompletableFuture<GroupWatermark> alignWatermark(WatermarkReport report) {
    return CompletableFuture.completedFuture(new GroupWatermark(alignmentGroups.report(report)));
  }

  @Override
  public void backlogChanged(BacklogNotice notice) {
    if (!closed) {
      checkpoints.backlogChanged(notice);
    }
  }

  @Override
  public void slotLost(SlotLost notice) {
    if (!closed) {
      Failure failure =
          failure(ErrorKind.EXTERNAL, new SlotTakenBack(notice.worker(), notice.reason()));
      decide(() -> scheduler.slotLost(notice.worker(), notice.allocation(), failure, now()));
    }
  }

  @Override
  public void disconnectWorker(WorkerLeaves notice) {
    if (!closed) {
      workers.find(notice.worker()).ifPresent(link -> lost(link, notice.reason()));
    }
  }

  @Override
  public void disconnectResourceManager(ResourceManagerForgets notice) {
    slots.dropped(notice);
  }

  @Override
  public CompletableFuture<JobMasterReport> heartbeatFromResourceManager(AskJobMaster request) {
    slots.heard(request.resourceManager());
    return CompletableFuture.completedFuture(scheduler.report());
  }

  @Override
  public void requirementsPending(RequirementsPending notice) {
    slots.requirementsPending(notice);
  }

  @Override
  public void requirementsFailed(RequirementsFailed notice) {
    if (!closed && slots.isConnectedTo(notice.resourceManager())) {
      journal.note(new RequirementsRefused(notice.reason()));
      decide(() -> scheduler.fail(failure(ErrorKind.RESOURCE, notice.reason()), now()));
    }
  }

  @Override
  public CompletableFuture<JobDetails> describe(DescribeExecution request) {
    return CompletableFuture.completedFuture(
        slots
            .waitingFor(scheduler.status())
            .map(reason -> scheduler.details().withWaitingFor(reason))
            .orElseGet(scheduler::details)
            .with(slots.pool().describe()));
  }

  @Override
  public CompletableFuture<JobOverview> overview(OverviewExecution request) {
    return CompletableFuture.completedFuture(
        slots
            .waitingFor(scheduler.status())
            .map(reason -> scheduler.overview().withWaitingFor(reason))
            .orElseGet(scheduler::overview));
  }

  @Override
  public CompletableFuture<JobMetrics> readMetrics(ReadMetrics request) {
    return metrics.read(scheduler.executionsOf(request.vertex()));
  }

  @Override
  public CompletableFuture<Acknowledge> cancel(CancelExecution request) {
    if (!closed) {
      journal.note(new CancelRequested(request.cause().isPresent()));
      decide(
          () ->
              request
                  .cause()
                  .map(cause -> scheduler.cancel(cause, now()))
                  .orElseGet(() -> scheduler.cancel(now())));
    }
    return DONE;
  }

  @Override
  public CompletableFuture<Acknowledge> startCheckpoint(StartCheckpoint request) {
    if (closed) {
      throw new MillraceException(ErrorKind.USER, ReasonText.of(new JobEndReported()));
    }
    checkpoints.start(request);
    return DONE;
  }

  @Override
  public CompletableFuture<CheckpointStatistics> listCheckpoints(ListCheckpoints request) {
    return CompletableFuture.completedFuture(checkpoints.statistics().withoutVertices());
  }

  @Override
  public CompletableFuture<CheckpointAnswer> describeCheckpoint(DescribeCheckpoint request) {
    return CompletableFuture.completedFuture(
        new CheckpointAnswer(checkpoints.statistics().find(request.number())));
  }

  @Override
  public CompletableFuture<CollectedPage> fetchCollected(FetchBatches request) {
    return fetches.fetch(request);
  }

  /**
   * Passes an event to the scheduler and carries out its actions. An exception of the scheduler is
   * a bug: the job fails with it instead of hanging.
   */
  private void decide(Supplier<List<SchedulerAction>> event) {
    List<SchedulerAction> actionsOfEvent;
    try {
      actionsOfEvent = event.get();
    } catch (RuntimeException e) {
      LOG.error("Job {}: the scheduler failed", job.id(), e);
      actionsOfEvent = scheduler.fail(Failure.of(e, ErrorKind.BUG), now());
    }
    perform(actionsOfEvent);
  }

  /** Carries out actions in order. Actions that result from them are appended. */
  private void perform(List<SchedulerAction> actionsOfEvent) {
    if (!closed) {
      journal.updateWaiting(slots.pool(), workers.count());
    }
    actions.addAll(actionsOfEvent);
    while (!actions.isEmpty()) {
      SchedulerAction action = actions.remove();
      if (action instanceof SchedulerAction.Deploy deploy) {
        deploy(deploy);
      } else if (action instanceof SchedulerAction.Adopt adopt) {
        adopt(adopt);
      } else if (action instanceof SchedulerAction.Cancel cancel) {
        calls.cancel(cancel);
      } else if (action instanceof SchedulerAction.Restart restart) {
        restart(restart);
      } else if (action instanceof SchedulerAction.StatusChanged change) {
        String reason = ReasonText.of(change.reason());
        LOG.info("Job {} {} -> {} ({})", job.id(), change.before(), change.now(), reason);
        journal.note(new StatusChanged(change.now(), change.reason()));
        if (change.now() == JobStatus.CANCELLING || change.now() == JobStatus.FAILING) {
          checkpoints.tasksStopping();
        }
      } else if (action instanceof SchedulerAction.AllRunning running) {
        journal.allRunning(running.tasks());
        checkpoints.tasksRunning();
      } else if (action instanceof SchedulerAction.Ended end) {
        end(end.result());
      } else {
        throw new IllegalArgumentException("Unknown action " + action);
      }
    }
    if (!closed) {
      slots.poolChanged();
    }
  }

  private void deploy(SchedulerAction.Deploy deploy) {
    if (records.isEmpty()) {
      send(deploy);
    } else {
      scheduler.deploys(deploy, checkpoints.outcomes());
      records.get().store(scheduler::deployment, () -> sendStored(deploy));
    }
  }

  /** While it was stored, tasks may have been cancelled. */
  private void sendStored(SchedulerAction.Deploy deploy) {
    List<SchedulerAction.Share> shares = new ArrayList<>();
    List<SchedulerAction> actionsOfEvent = scheduler.sending(deploy, shares, now());
    if (!shares.isEmpty()) {
      send(new SchedulerAction.Deploy(deploy.number(), shares));
    }
    perform(actionsOfEvent);
  }

  private void send(SchedulerAction.Deploy deploy) {
    journal.deploys(deploy);
    Optional<RestoredCheckpoint> restore = checkpoints.restore();
    restore.ifPresent(from -> journal.note(new StateRestored(from.number(), from.directory())));
    for (SchedulerAction.Share share : deploy.shares()) {
      JobTaskManagerRegistry.Link link = workers.find(share.worker()).orElseThrow();
      calls
          .deploy(link, deploy.number(), share, restore)
          .whenComplete((done, failure) -> deployed(link, deploy, share, restore, failure));
    }
  }

  private void deployed(
      JobTaskManagerRegistry.Link link,
      SchedulerAction.Deploy deploy,
      SchedulerAction.Share share,
      Optional<RestoredCheckpoint> restore,
      Throwable failure) {
    if (closed || !workers.has(link)) {
      return; // the loss of the worker was handled
    }
    if (failure == null) {
      scheduler.deployed(share);
      journal.shareAccepted(deploy, share);
    } else {
      notDeployed(link, share, restore, failure);
    }
  }

  private void notDeployed(
      JobTaskManagerRegistry.Link link,
      SchedulerAction.Share share,
      Optional<RestoredCheckpoint> restore,
      Throwable failure) {
    if (RpcException.is(failure, RpcError.Code.CONNECTION)) {
      connectionLost(link, new DeploymentUnconfirmed(Failure.unwrap(failure).getMessage()));
    } else if (RpcException.is(failure, RpcError.Code.TIMEOUT)) {
      decide(
          () ->
              scheduler.deploymentUnclear(share, JobTaskManagerRegistry.failureOf(failure), now()));
    } else {
      Failure refusal = JobTaskManagerRegistry.failureOf(failure);
      OptionalLong unusable =
          restore.isPresent() && UnusableStateException.caused(refusal)
              ? OptionalLong.of(restore.get().number())
              : OptionalLong.empty();
      decide(() -> scheduler.deploymentFailed(share, refusal, unusable, now()));
    }
  }

  private void restart(SchedulerAction.Restart restart) {
    journal.restarts(restart);
    if (restart.unusableCheckpoint().isPresent()) {
      Optional<Reason> hopeless =
          checkpoints.stateUnusable(
              restart.unusableCheckpoint().getAsLong(), ReasonText.of(restart.reason()));
      if (hopeless.isPresent()) {
        actions.addAll(scheduler.fail(failure(ErrorKind.USER, hopeless.get()), now()));
        return;
      }
    }
    checkpoints.tasksStopping();
    mailbox.after(
        restart.delay(),
        () -> {
          if (!closed) {
            decide(() -> scheduler.restartDue(restart.failover(), now()));
          }
        });
    boolean read = false;
    for (int region : restart.regions()) {
      read |= collected.restarted(region);
    }
    if (read) {
      actions.addAll(
          scheduler.fail(
              failure(ErrorKind.EXTERNAL, new CollectedRecordsRead(restart.reason())), now()));
    }
  }

  /** A job with cached data sets ends after its partitions are kept. */
  private void end(JobResult result) {
    if (result.status() == JobStatus.FINISHED && ResultRetention.isNeeded(job.graph())) {
      ResultRetention.keepPartitions(scheduler.details(), leader, workers)
          .whenComplete((kept, never) -> finish(result));
    } else {
      finish(result);
    }
  }

  private void finish(JobResult result) {
    if (closed) {
      return; // stopped in the meantime
    }
    closed = true;
    records.ifPresent(DeploymentRecords::close);
    if (result.status() == JobStatus.FINISHED) {
      checkpoints.finished();
    }
    checkpoints.end();
    collected.complete();
    fetches.recordsAdded();
    disconnectAll(true, new JobOver(result.status()));
    ended.accept(
        new JobTermination(
            result,
            scheduler.details(),
            scheduler.overview(),
            checkpoints.statistics(),
            collected));
  }

  private void disconnectAll(boolean jobEnded, Reason reason) {
    // The ResourceManager first: slots that workers free are then not requested for the job again.
    slots.leave(jobEnded, reason);
    for (JobTaskManagerRegistry.Link link : workers.all()) {
      calls.disconnect(link, jobEnded, reason);
    }
    workers.close();
  }

  @Override
  public CompletableFuture<Runnable> ask(JobTaskManagerRegistry.Link link) {
    long heartbeat = scheduler.nextHeartbeat();
    return calls
        .heartbeat(link)
        .thenApply(
            report ->
                () -> decide(() -> scheduler.reconcile(link.worker(), heartbeat, report, now())));
  }

  @Override
  public void lost(JobTaskManagerRegistry.Link link, ConnectionLoss loss) {
    connectionLost(link, PeerReason.ofFollower(loss));
  }

  /** The worker may still run: it is notified in case it is reachable. */
  private void connectionLost(JobTaskManagerRegistry.Link link, Reason reason) {
    if (!closed && workers.has(link)) {
      calls.disconnect(link, false, reason);
      lost(link, reason);
    }
  }

  private void lost(JobTaskManagerRegistry.Link link, Reason reason) {
    WorkerId worker = link.worker();
    workers.remove(link);
    adoption.workerLost(worker);
    alignmentGroups.lost(worker);
    Failure failure = failure(ErrorKind.EXTERNAL, new WorkerConnectionLost(worker, reason));
    LOG.info("Job {}: {}", job.id(), failure.message());
    journal.note(new JobMasterEvent.WorkerLost(reason), worker);
    Optional<CompletableFuture<Optional<Reason>>> cause =
        PeerReason.isUnexplainedLoss(reason) ? slots.awaitWorkerEnd(worker) : Optional.empty();
    cause.ifPresent(answer -> scheduler.awaitExplanation(failure));
    decide(() -> scheduler.workerLost(worker, failure, now()));
    cause.ifPresent(answer -> answer.thenAccept(known -> explained(worker, failure, known)));
  }

  private void explained(WorkerId worker, Failure loss, Optional<Reason> cause) {
    if (closed) {
      return;
    }
    Optional<Failure> better =
        cause.map(known -> failure(ErrorKind.EXTERNAL, new WorkerConnectionLost(worker, known)));
    better.ifPresent(
        known -> {
          LOG.info("Job {}: {}", job.id(), known.message());
          journal.note(
              new JobMasterEvent.WorkerLossExplained(loss.message(), cause.orElseThrow()), worker);
        });
    decide(() -> scheduler.lossExplained(loss, better.orElse(loss), now()));
  }

  private static Failure failure(ErrorKind kind, Reason reason) {
    return Failure.of(kind, ReasonText.of(reason));
  }

  private void returnSlot(AllocatedSlot slot) {
    journal.note(new SlotReturned(), slot.worker());
    calls.freeSlot(slot);
  }

  private ClockReading now() {
    return new ClockReading(env.wallMillis(), env.nanos());
  }
}
