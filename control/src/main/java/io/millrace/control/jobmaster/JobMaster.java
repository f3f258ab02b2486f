package io.millrace.control.jobmaster;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.scheduler.ClockReading;
import io.millrace.control.scheduler.Scheduler;
import io.millrace.control.scheduler.SchedulerAction;
import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.TaskManagerGateway.AskTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.CancelRequested;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.RequirementsRefused;
import io.millrace.protocol.journal.JobMasterEvent.SlotReturned;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.reason.JobReason.JobEndReported;
import io.millrace.protocol.reason.JobReason.JobMasterStops;
import io.millrace.protocol.reason.JobReason.JobOver;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.PeerReason.DeploymentUnconfirmed;
import io.millrace.protocol.reason.PeerReason.Superseded;
import io.millrace.protocol.reason.PeerReason.WrongJobMaster;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotUnused;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.registration.ConnectionLoss;
import io.millrace.rpc.registration.FollowerRegistry;
import io.millrace.rpc.registration.RegistrationStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a job for one term of leadership. Decides nothing itself: the {@link Scheduler} and the
 * {@link SlotPool} do.
 */
final class JobMaster extends Endpoint
    implements JobMasterGateway, FollowerRegistry.Leader<JobTaskManagerRegistry.Link> {
  private static final Logger LOG = LoggerFactory.getLogger(JobMaster.class);
  private static final CompletableFuture<Acknowledge> DONE =
      CompletableFuture.completedFuture(Acknowledge.INSTANCE);

  /** Deployments one term may number before it would reach those of the next. */
  private static final int NUMBERS_PER_TERM_BITS = 20;

  private final ClusterServices cluster;
  private final AcceptedJob job;
  private final LeaderToken leader;
  private final Consumer<JobTermination> ended;
  private final CollectedRecordsBuffer collected = new CollectedRecordsBuffer();
  private final Deque<SchedulerAction> actions = new ArrayDeque<>();
  private final JobJournal journal;
  private SlotPool pool;
  private Scheduler scheduler;
  private JobMasterResourceManagerConnection resourceManager;
  private JobTaskManagerRegistry workers;
  private PendingFetches fetches;
  private IdleSlotTimeout idleSlots;
  private boolean over;

  /**
   * @param ended told once, in this mailbox, when the job has ended for good
   */
  JobMaster(
      ClusterServices cluster, LeaderToken token, AcceptedJob job, Consumer<JobTermination> ended) {
    super(cluster.rpc(), ComponentNames.jobMaster(job.id()), Optional.of(token));
    this.cluster = cluster;
    this.leader = token;
    this.job = job;
    this.ended = ended;
    this.journal = new JobJournal(job.id(), this::record, env::nanos);
  }

  @Override
  protected void onStart() {
    Configuration settings = cluster.configuration().overriddenBy(job.graph().configuration());
    workers = new JobTaskManagerRegistry(cluster, mailbox, this);
    pool = new SlotPool(settings.get(JobManagerOptions.SLOT_IDLE_TIMEOUT));
    idleSlots = new IdleSlotTimeout(env, mailbox, pool, this::giveBack);
    fetches = new PendingFetches(mailbox, collected);
    resourceManager =
        new JobMasterResourceManagerConnection(
            cluster,
            mailbox,
            new RegisterJobMaster(job.id(), leader, address()),
            pool,
            settings.get(JobManagerOptions.SLOT_REQUEST_TIMEOUT),
            journal);
    scheduler =
        new Scheduler(
            job.graph(),
            settings,
            pool,
            leader.term() << NUMBERS_PER_TERM_BITS,
            env.random("executions-" + job.id() + "-" + leader.term()),
            now());
    journal.note(new JobMasterStarted(leader.term()));
    perform(scheduler.start(now()));
  }

  /** The ResourceManager checks who leads the job, so it is turned to only from then on. */
  void madeKnown() {
    mailbox.post(
        () -> {
          if (!over) {
            resourceManager.start();
          }
        });
  }

  @Override
  protected CompletableFuture<Void> onStop() {
    if (!over) {
      over = true;
      LOG.info("Job {} {} -> SUSPENDED (its JobMaster stops)", job.id(), scheduler.status());
      scheduler.suspend(now());
      journal.note(new StatusChanged(JobStatus.SUSPENDED, new JobMasterStops(leader.term())));
      leave(false, new JobMasterStops(leader.term()));
    }
    fetches.close();
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<WorkerReply> registerWorker(RegisterAtJobMaster request) {
    if (over || !request.job().equals(job.id())) {
      Reason reason = over ? new JobEndReported() : new WrongJobMaster(job.id());
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
            Optional.of(new WorkerRegistered(leader))));
  }

  @Override
  public CompletableFuture<OfferReply> offerSlots(OfferSlots offer) {
    Optional<JobTaskManagerRegistry.Link> link = workers.find(offer.worker());
    if (over || link.isEmpty() || link.get().registration.incarnation() != offer.incarnation()) {
      return CompletableFuture.completedFuture(new OfferReply(false, List.of()));
    }
    List<AllocationId> accepted = new ArrayList<>();
    List<SchedulerAction> decided =
        scheduler.offer(offer.worker(), offer.offers(), accepted, now());
    journal.slotsAccepted(offer, accepted, pool);
    perform(decided);
    return CompletableFuture.completedFuture(new OfferReply(true, accepted));
  }

  @Override
  public CompletableFuture<Acknowledge> updateTasks(TaskUpdates updates) {
    if (!over) {
      journal.updated(updates);
      decide(() -> scheduler.tasksUpdated(updates.worker(), updates.updates(), now()));
    }
    return DONE;
  }

  @Override
  public CompletableFuture<Acknowledge> collect(CollectedPart part) {
    OptionalInt region = over ? OptionalInt.empty() : scheduler.regionOf(part.execution());
    if (region.isEmpty()) {
      return DONE; // of a task that is being ended: what it still says is void
    }
    CompletableFuture<Acknowledge> room = new CompletableFuture<>();
    collected.add(
        region.getAsInt(), part.name(), part.records(), () -> room.complete(Acknowledge.INSTANCE));
    fetches.news();
    return room;
  }

  @Override
  public void slotLost(SlotLost notice) {
    if (!over) {
      Failure failure =
          Failure.of(
              ErrorKind.EXTERNAL,
              "TaskManager "
                  + notice.worker()
                  + " took a slot back: "
                  + ReasonText.of(notice.reason()));
      decide(() -> scheduler.slotLost(notice.worker(), notice.allocation(), failure, now()));
    }
  }

  @Override
  public void disconnectWorker(WorkerLeaves notice) {
    if (!over) {
      workers.find(notice.worker()).ifPresent(link -> lost(link, notice.reason()));
    }
  }

  @Override
  public void disconnectResourceManager(ResourceManagerForgets notice) {
    if (resourceManager.isConnectedTo(notice.resourceManager())) {
      resourceManager.dropped(notice.reason());
    }
  }

  @Override
  public CompletableFuture<JobMasterReport> heartbeatFromResourceManager(AskJobMaster question) {
    resourceManager.heard(question.resourceManager());
    return CompletableFuture.completedFuture(new JobMasterReport());
  }

  @Override
  public void requirementsPending(RequirementsPending notice) {
    if (resourceManager.isConnectedTo(notice.resourceManager())) {
      resourceManager.shortage(notice.reason());
      notice.reason().ifPresent(journal::missing);
    }
  }

  @Override
  public void requirementsFailed(RequirementsFailed notice) {
    if (!over && resourceManager.isConnectedTo(notice.resourceManager())) {
      String reason = ReasonText.of(notice.reason());
      journal.note(new RequirementsRefused(notice.reason()));
      decide(() -> scheduler.fail(Failure.of(ErrorKind.RESOURCE, reason), now()));
    }
  }

  @Override
  public CompletableFuture<JobDetails> describe(DescribeExecution request) {
    return CompletableFuture.completedFuture(scheduler.details(waitingFor()).with(pool.describe()));
  }

  @Override
  public CompletableFuture<JobOverview> overview(OverviewExecution request) {
    return CompletableFuture.completedFuture(scheduler.overview(waitingFor()));
  }

  @Override
  public CompletableFuture<Acknowledge> cancel(CancelExecution request) {
    if (!over) {
      journal.note(new CancelRequested(request.cause().isPresent()));
      decide(() -> scheduler.cancel(request.cause(), now()));
    }
    return DONE;
  }

  @Override
  public CompletableFuture<CollectedPage> fetchCollected(FetchBatches request) {
    return fetches.fetch(request);
  }

  /**
   * Tells the scheduler of an event and does what it says. What it cannot cope with is a mistake of
   * ours: the job fails and says so, instead of hanging.
   */
  private void decide(Supplier<List<SchedulerAction>> event) {
    List<SchedulerAction> decided;
    try {
      decided = event.get();
    } catch (RuntimeException e) {
      LOG.error("Job {}: the scheduler failed", job.id(), e);
      decided = scheduler.fail(Failure.of(e, ErrorKind.BUG), now());
    }
    perform(decided);
  }

  /** Carries out actions in order; one that leads to further ones puts them behind the rest. */
  private void perform(List<SchedulerAction> decided) {
    if (!over) {
      journal.slots(pool, workers.count());
    }
    actions.addAll(decided);
    while (!actions.isEmpty()) {
      SchedulerAction action = actions.remove();
      if (action instanceof SchedulerAction.Deploy deploy) {
        deploy(deploy);
      } else if (action instanceof SchedulerAction.Cancel cancel) {
        cancel(cancel);
      } else if (action instanceof SchedulerAction.Restart restart) {
        restart(restart);
      } else if (action instanceof SchedulerAction.StatusChanged change) {
        String reason = ReasonText.of(change.reason());
        LOG.info("Job {} {} -> {} ({})", job.id(), change.before(), change.now(), reason);
        journal.note(new StatusChanged(change.now(), change.reason()));
      } else if (action instanceof SchedulerAction.AllRunning running) {
        journal.allRunning(running.tasks());
      } else if (action instanceof SchedulerAction.Ended end) {
        end(end.result());
      } else {
        throw new IllegalArgumentException("Unknown action " + action);
      }
    }
    if (!over) {
      resourceManager.requirementsChanged();
      idleSlots.watch();
    }
  }

  private void deploy(SchedulerAction.Deploy deploy) {
    journal.deploys(deploy);
    for (SchedulerAction.Share share : deploy.shares()) {
      JobTaskManagerRegistry.Link link = workers.find(share.worker()).orElseThrow();
      link.longCalls
          .deployTasks(
              new DeployTasks(
                  job.id(), leader, job.blob(), deploy.number(), share.tasks(), share.placement()))
          .whenComplete((done, failure) -> deployed(link, deploy, share, failure));
    }
  }

  private void deployed(
      JobTaskManagerRegistry.Link link,
      SchedulerAction.Deploy deploy,
      SchedulerAction.Share share,
      Throwable failure) {
    if (over || !workers.has(link)) {
      return; // what ran there has been dealt with
    }
    if (failure == null) {
      scheduler.deployed(share);
      journal.taken(deploy, share);
    } else if (RpcException.is(failure, RpcError.Code.CONNECTION)) {
      connectionLost(link, new DeploymentUnconfirmed(Failure.unwrap(failure).getMessage()));
    } else if (RpcException.is(failure, RpcError.Code.TIMEOUT)) {
      decide(
          () ->
              scheduler.deploymentUnclear(share, JobTaskManagerRegistry.failureOf(failure), now()));
    } else {
      decide(
          () ->
              scheduler.deploymentFailed(share, JobTaskManagerRegistry.failureOf(failure), now()));
    }
  }

  /** One that is not confirmed is repeated with the next heartbeat. */
  private void cancel(SchedulerAction.Cancel cancel) {
    workers
        .find(cancel.worker())
        .ifPresent(
            link ->
                link.gateway
                    .cancelTasks(new CancelTasks(job.id(), leader, cancel.executions()))
                    .whenComplete(confirmed("a cancellation", link)));
  }

  private BiConsumer<Acknowledge, Throwable> confirmed(
      String what, JobTaskManagerRegistry.Link link) {
    return (done, failure) -> {
      if (failure != null) {
        LOG.info(
            "Job {}: {} does not confirm {}: {}",
            job.id(),
            link.worker(),
            what,
            failure.getMessage());
      }
    };
  }

  private void restart(SchedulerAction.Restart restart) {
    journal.restarts(restart);
    mailbox.after(
        restart.delay(),
        () -> {
          if (!over) {
            decide(() -> scheduler.restartDue(restart.failover(), now()));
          }
        });
    boolean seen = false;
    for (int region : restart.regions()) {
      seen |= collected.restarted(region);
    }
    if (seen) {
      actions.addAll(
          scheduler.fail(
              Failure.of(
                  ErrorKind.EXTERNAL,
                  "The job would have to start again ("
                      + ReasonText.of(restart.reason())
                      + "), but the client has already read some of its collected records and"
                      + " would get them twice. Write them with a sink instead, or run the job"
                      + " again."),
              now()));
    }
  }

  /** A job whose results are to be kept has not ended before they are. */
  private void end(JobResult result) {
    if (result.status() == JobStatus.FINISHED && ResultRetention.has(job.graph())) {
      ResultRetention.keep(scheduler.details(Optional.empty()), leader, workers)
          .whenComplete((kept, never) -> conclude(result));
    } else {
      conclude(result);
    }
  }

  private void conclude(JobResult result) {
    if (over) {
      return; // stopped meanwhile
    }
    over = true;
    collected.complete();
    fetches.news();
    leave(true, new JobOver(result.status()));
    ended.accept(
        new JobTermination(
            result,
            scheduler.details(Optional.empty()),
            scheduler.overview(Optional.empty()),
            collected));
  }

  private void leave(boolean forGood, Reason reason) {
    idleSlots.close();
    // First, so that slots which workers free are not taken for slots the job has to get again.
    resourceManager.leave(forGood, reason);
    for (JobTaskManagerRegistry.Link link : workers.all()) {
      link.gateway.disconnectJobMaster(new JobMasterDrops(job.id(), leader, forGood, reason));
    }
    workers.close();
  }

  @Override
  public CompletableFuture<Runnable> ask(JobTaskManagerRegistry.Link link) {
    long question = scheduler.question();
    return link.longCalls
        .heartbeatFromJobMaster(new AskTasks(job.id(), leader))
        .thenApply(
            report ->
                () -> decide(() -> scheduler.reconcile(link.worker(), question, report, now())));
  }

  @Override
  public void lost(JobTaskManagerRegistry.Link link, ConnectionLoss loss) {
    connectionLost(link, PeerReason.ofFollower(loss));
  }

  /** The worker may live on without knowing that it was given up: it is told, in case it hears. */
  private void connectionLost(JobTaskManagerRegistry.Link link, Reason reason) {
    if (!over && workers.has(link)) {
      link.gateway.disconnectJobMaster(new JobMasterDrops(job.id(), leader, false, reason));
      lost(link, reason);
    }
  }

  private void lost(JobTaskManagerRegistry.Link link, Reason reason) {
    WorkerId worker = link.worker();
    workers.remove(link);
    String sentence = "TaskManager " + worker + " is lost: " + ReasonText.of(reason);
    LOG.info("Job {}: {}", job.id(), sentence);
    journal.note(new JobMasterEvent.WorkerLost(reason), worker);
    decide(() -> scheduler.workerLost(worker, Failure.of(ErrorKind.EXTERNAL, sentence), now()));
  }

  private void giveBack(AllocatedSlot slot) {
    journal.note(new SlotReturned(), slot.worker());
    FreeSlot request = new FreeSlot(job.id(), leader, slot.allocation(), new SlotUnused());
    workers.find(slot.worker()).ifPresent(link -> free(link, request));
  }

  /** Repeated until the worker has heard it: nobody else would take the slot back. */
  private void free(JobTaskManagerRegistry.Link link, FreeSlot request) {
    link.gateway
        .freeSlot(request)
        .whenComplete(confirmed("a returned slot", link))
        .whenComplete(
            (done, failure) -> {
              if (!over && workers.has(link) && RpcException.is(failure, RpcError.Code.TIMEOUT)) {
                free(link, request);
              }
            });
  }

  private Optional<Reason> waitingFor() {
    boolean wants =
        scheduler.status() == JobStatus.RUNNING || scheduler.status() == JobStatus.RESTARTING;
    return !wants || pool.waiting() == 0
        ? Optional.empty()
        : Optional.of(resourceManager.waitingFor());
  }

  private ClockReading now() {
    return new ClockReading(env.wallMillis(), env.nanos());
  }
}
