package io.millrace.control.resourcemanager;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.slotmanager.SlotAction;
import io.millrace.control.slotmanager.SlotAction.DeclareWorkers;
import io.millrace.control.slotmanager.SlotAction.EndJob;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.RecordEvent;
import io.millrace.control.slotmanager.SlotAction.ReleaseWorker;
import io.millrace.control.slotmanager.SlotEvent;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.SlotGranted;
import io.millrace.control.slotmanager.SlotEvent.SlotRefused;
import io.millrace.control.slotmanager.SlotEvent.SupplyKnown;
import io.millrace.control.slotmanager.SlotEvent.SupplyStatus;
import io.millrace.control.slotmanager.SlotEvent.Tick;
import io.millrace.control.slotmanager.SlotEvent.WorkerDraining;
import io.millrace.control.slotmanager.SlotEvent.WorkersLimited;
import io.millrace.control.slotmanager.SlotManager;
import io.millrace.control.slotmanager.SlotSettings;
import io.millrace.control.workerpool.WorkerPoolEvent;
import io.millrace.control.workerpool.WorkerPoolStatus;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.Messages;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.protocol.TaskManagerGateway.JobEnded;
import io.millrace.protocol.TaskManagerGateway.ReleasePartitions;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.ApplicationDeregistered;
import io.millrace.protocol.journal.ResourceManagerEvent.RequirementsFailed;
import io.millrace.protocol.journal.ResourceManagerEvent.RequirementsReceived;
import io.millrace.protocol.journal.ResourceManagerEvent.ResourceManagerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsMissing;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.MoreWorkersNeeded;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.decision.DeciderRunner;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.task.ClusterPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ResourceManager during one term. All its parts live in its mailbox. */
final class ResourceManager extends Endpoint implements ResourceManagerGateway {
  private static final Logger LOG = LoggerFactory.getLogger(ResourceManager.class);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** How long a worker that is taken away is blocked at least. */
  private static final Duration LEAST_BLOCK = Duration.ofMinutes(1);

  private final LeaderToken leaderToken;
  private final LeaderRetrieval leaders;
  private final DelegationTokenManager tokens;
  private final WorkerPoolRunner workerPool;
  private final WorkerDriver driver;
  private final StoredWorkerLimit limit;
  private final Configuration configuration;
  private final JobMasterRegistry jobMasters;
  private final TaskManagerRegistry taskManagers;
  private final ClusterDataSets dataSets;
  private final Blocklist blocklist;
  private final WorkerEnds workerEnds;
  private final ResourceManagerContext context;
  private final SlotRequestJournal requests;
  private DriverTermination termination = new DriverTermination.Suspended();
  private boolean stopping;
  private boolean driverStarted;

  /** Set in {@link #prepare} and read in {@link #onStart}. */
  private volatile Optional<DriverCapabilities> capabilities = Optional.empty();

  /** The limit of workers that a user has set in an earlier term. */
  private OptionalInt storedLimit = OptionalInt.empty();

  /** The last change of the limit. The next change is stored after it. */
  private CompletableFuture<?> lastLimitChange = CompletableFuture.completedFuture(null);

  /** Created in {@link #prepare}. */
  private SlotManager slots;

  private Optional<DeciderRunner<SlotEvent, SlotAction>> decisions = Optional.empty();

  /** The services of this term that have started, in the order of their start. */
  private final List<String> started = new ArrayList<>();

  /**
   * @param broken called if the driver cannot continue
   */
  ResourceManager(
      ClusterServices cluster,
      LeaderToken token,
      ResourceManagerRunner.Backing backing,
      Consumer<Throwable> broken) {
    super(cluster.rpc(), ComponentNames.RESOURCE_MANAGER, Optional.of(token));
    this.leaderToken = token;
    this.driver = backing.driver();
    this.limit = new StoredWorkerLimit(backing.store(), token.term());
    this.configuration = cluster.configuration();
    this.context =
        new ResourceManagerContext(
            rpc, mailbox, token, cluster.configuration(), this::apply, this::record);
    this.requests = new SlotRequestJournal(context);
    this.workerEnds = new WorkerEnds(context);
    this.leaders = cluster.leaders();
    this.jobMasters =
        new JobMasterRegistry(
            context, new JobResultStore(backing.store(), Messages.graphCodec()), driver::progress);
    this.workerPool =
        new WorkerPoolRunner(
            context,
            driver,
            new WorkerPoolRunner.Listener(
                this::workerReleased,
                this::workerEnded,
                this::workerDraining,
                this::nodeUnreliable,
                this::supplyChanged,
                broken));
    this.tokens = new DelegationTokenManager(context, backing.tokens(), this::taskManager);
    this.dataSets = new ClusterDataSets(context, this::release);
    this.taskManagers = new TaskManagerRegistry(context, workerPool, this.tokens, dataSets);
    this.blocklist = new Blocklist(context, taskManagers::nodes, driver::blocked);
  }

  /**
   * Each step begins when the one before has completed. The driver starts last, because workers can
   * register as soon as it has started.
   */
  @Override
  protected CompletableFuture<Void> prepare() {
    return step(
            "job-leader tracking",
            () -> {
              jobMasters.track(leaders);
              return DONE;
            })
        .thenCompose(
            done ->
                step(
                    "heartbeats",
                    () -> {
                      taskManagers.startHeartbeats();
                      jobMasters.startHeartbeats();
                      return DONE;
                    }))
        .thenCompose(
            done ->
                step(
                    "SlotManager",
                    () -> {
                      slots =
                          new SlotManager(
                              settings(DriverCapabilities.standalone(), new MoreWorkersNeeded()),
                              env.random("allocations"),
                              env.nanos());
                      decisions =
                          Optional.of(
                              new DeciderRunner<>(
                                  env, mailbox, slots, new Tick(), this::perform, () -> {}));
                      return DONE;
                    }))
        .thenCompose(done -> step("delegation tokens", tokens::start))
        .thenCompose(done -> step("driver", this::startDriver));
  }

  private CompletableFuture<Void> step(String service, Supplier<CompletableFuture<Void>> start) {
    return start
        .get()
        .thenAccept(
            done -> {
              LOG.info("{} of ResourceManager {} started", service, leaderToken);
              started.add(service);
            });
  }

  private SlotSettings settings(DriverCapabilities known, Reason advice) {
    return SlotSettings.from(configuration, known, advice);
  }

  private CompletableFuture<Void> startDriver() {
    if (stopping) {
      return CompletableFuture.failedFuture(
          new MillraceException(ErrorKind.EXTERNAL, "The ResourceManager is stopping."));
    }
    driverStarted = true;
    return workerPool
        .start()
        .thenCompose(
            known -> {
              capabilities = Optional.of(known);
              return known
                  .startable()
                  .map(startable -> env.io().call(mailbox, () -> limit.begin(startable.most())))
                  .orElseGet(() -> CompletableFuture.completedFuture(OptionalInt.empty()));
            })
        .thenAccept(found -> storedLimit = found);
  }

  @Override
  protected void onStart() {
    DriverCapabilities known = capabilities.orElseThrow();
    // Before the SlotManager gets its settings: it then declares the configured minimum of workers.
    workerPool.driverStarted(known);
    storedLimit.ifPresent(most -> limit(most, true));
    apply(new SupplyKnown(settings(known, driver.advice())));
    // Declares spares and the configured minimum before any job has requirements.
    apply(new Tick());
    context.record(new ResourceManagerStarted(leaderToken.term(), started));
  }

  @Override
  protected CompletableFuture<Void> onStop() {
    stopping = true;
    decisions.ifPresent(DeciderRunner::stop);
    blocklist.close();
    tokens.stop();
    dataSets.close();
    taskManagers.close();
    jobMasters.close();
    return driverStarted ? workerPool.stop(termination) : CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<JobMasterReply> registerJobMaster(RegisterJobMaster request) {
    return jobMasters.register(request);
  }

  @Override
  public CompletableFuture<TaskManagerReply> registerTaskManager(RegisterTaskManager request) {
    return taskManagers.register(request);
  }

  @Override
  public CompletableFuture<Acknowledge> reportSlots(ReportSlots report) {
    // Before its slots are reported, so that no slot of a blocked worker is allocated.
    taskManagers
        .node(report.worker())
        .ifPresent(node -> blocklist.workerRegistered(report.worker(), node));
    taskManagers.report(report);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> reportPartitions(ReportPartitions report) {
    taskManagers.report(report);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<DataSets> listDataSets(ListDataSets request) {
    return CompletableFuture.completedFuture(new DataSets(dataSets.list()));
  }

  @Override
  public CompletableFuture<DataSetAnswer> describeDataSet(DescribeDataSet request) {
    return CompletableFuture.completedFuture(
        new DataSetAnswer(dataSets.describe(request.id(), taskManagers::dataAddress)));
  }

  @Override
  public CompletableFuture<Acknowledge> releaseDataSet(ReleaseDataSet request) {
    return dataSets.release(request.id()).thenApply(done -> Acknowledge.INSTANCE);
  }

  private CompletableFuture<Acknowledge> release(
      WorkerId worker, InstanceId instance, List<ClusterPartition> partitions) {
    return taskManagers
        .gateway(worker)
        .releasePartitions(new ReleasePartitions(leaderToken, instance, partitions));
  }

  @Override
  public CompletableFuture<Acknowledge> declareRequirements(DeclareRequirements declaration) {
    jobMasters.checkRegistered(declaration.job(), declaration.leader());
    int slotCount = declaration.requirements().stream().mapToInt(Requirement::slots).sum();
    context.record(new RequirementsReceived(slotCount), declaration.job());
    apply(
        new RequirementsDeclared(
            declaration.job(), declaration.requirements(), declaration.patience()));
    jobMasters.notifySuccessor(declaration.job());
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public void slotAvailable(SlotAvailable notice) {
    apply(new SlotFreed(notice.worker(), notice.instance(), notice.allocation()));
  }

  @Override
  public void disconnectTaskManager(TaskManagerLeaves notice) {
    taskManagers.disconnected(notice);
  }

  @Override
  public CompletableFuture<Acknowledge> disconnectJobMaster(JobMasterLeaves notice) {
    jobMasters.disconnected(notice);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> deregisterApplication(DeregisterApplication request) {
    termination = new DriverTermination.Over(request.status(), request.diagnostics());
    ApplicationDeregistered event = new ApplicationDeregistered(request.status());
    LOG.info("{} {}", JournalText.of(event), request.diagnostics());
    context.record(event);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> limitWorkers(LimitWorkers change) {
    if (!workerPool.startsWorkers()) {
      throw new MillraceException(
          ErrorKind.USER,
          "This cluster does not start TaskManagers, so there is no limit to change. Start it with"
              + " --elastic to have TaskManagers started and released on demand.");
    }
    CompletableFuture<Acknowledge> stored =
        lastLimitChange
            .handle((done, failure) -> change)
            .thenCompose(next -> env.io().call(mailbox, () -> store(next)))
            .thenApply(
                acknowledge -> {
                  limit(change.most(), false);
                  return acknowledge;
                });
    lastLimitChange = stored;
    return stored;
  }

  private Acknowledge store(LimitWorkers change) {
    limit.put(
        change.most(), capabilities.flatMap(DriverCapabilities::startable).orElseThrow().most());
    return Acknowledge.INSTANCE;
  }

  private void limit(int most, boolean inherited) {
    context.record(new ResourceManagerEvent.WorkersLimited(most, inherited));
    workerPool.apply(new WorkerPoolEvent.Limited(most));
    apply(new WorkersLimited(most));
  }

  @Override
  public CompletableFuture<Acknowledge> block(Block block) {
    blocklist.add(block);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> unblock(Unblock request) {
    if (!blocklist.remove(request.target(), false)) {
      throw new MillraceException(ErrorKind.USER, request.target() + " is not blocked.");
    }
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Blocks> listBlocks(ListBlocks request) {
    return CompletableFuture.completedFuture(new Blocks(blocklist.list()));
  }

  @Override
  public CompletableFuture<Workers> listWorkers(ListWorkers request) {
    return CompletableFuture.completedFuture(new Workers(taskManagers.list(slots::usage)));
  }

  /** Without a driver that starts workers nobody can say more than the JobMaster knows. */
  @Override
  public CompletableFuture<WorkerEnd> awaitWorkerEnd(AwaitWorkerEnd request) {
    return workerPool.startsWorkers()
        ? workerEnds.await(request)
        : CompletableFuture.completedFuture(new WorkerEnd(Optional.empty()));
  }

  private void apply(SlotEvent event) {
    decisions.orElseThrow().apply(event);
  }

  private void perform(List<SlotAction> actions) {
    Map<JobId, Map<WorkerId, Integer>> requested = requested(actions);
    for (SlotAction action : actions) {
      if (action instanceof SlotAction.RequestSlot request) {
        Map<WorkerId, Integer> byWorker = requested.remove(request.job());
        if (byWorker != null) {
          requests.begin(request.job(), byWorker);
        }
        request(request);
      } else if (action instanceof NotifyPending pending) {
        notify(pending);
      } else if (action instanceof FailRequirements failed) {
        fail(failed);
      } else if (action instanceof DeclareWorkers declaration) {
        workerPool.apply(new WorkerPoolEvent.WorkersDeclared(declaration.workers()));
      } else if (action instanceof ReleaseWorker release) {
        workerEnds.ended(release.worker(), release.reason());
        taskManagers.released(release.worker(), release.reason());
      } else if (action instanceof EndJob ended) {
        taskManagers
            .gateway(ended.worker())
            .jobEnded(new JobEnded(leaderToken, ended.instance(), ended.job()));
      } else if (action instanceof RecordEvent event) {
        context.record(event.event(), event.job());
      } else {
        throw new IllegalArgumentException("Unknown action " + action);
      }
    }
  }

  /** The number of requested slots by job and worker. */
  private static Map<JobId, Map<WorkerId, Integer>> requested(List<SlotAction> actions) {
    Map<JobId, Map<WorkerId, Integer>> requested = new TreeMap<>();
    for (SlotAction action : actions) {
      if (action instanceof SlotAction.RequestSlot request) {
        requested
            .computeIfAbsent(request.job(), job -> new TreeMap<>())
            .merge(request.worker(), 1, Integer::sum);
      }
    }
    return requested;
  }

  private void request(SlotAction.RequestSlot request) {
    taskManagers
        .gateway(request.worker())
        .requestSlot(
            new RequestSlot(
                leaderToken,
                request.instance(),
                request.slot(),
                request.job(),
                request.allocation(),
                request.profile()))
        .whenComplete((reply, failure) -> answered(request, reply, failure));
  }

  private void answered(SlotAction.RequestSlot request, SlotReply reply, Throwable failure) {
    requests.answered(request.job(), request.worker(), failure == null && reply.granted());
    if (failure == null && !reply.registered()) {
      taskManagers.registrationLost(
          request.worker(), request.instance(), reply.reason().orElseThrow());
    } else if (failure == null && reply.granted()) {
      apply(new SlotGranted(request.worker(), request.instance(), request.allocation()));
    } else {
      apply(
          new SlotRefused(
              request.worker(),
              request.instance(),
              request.allocation(),
              failure == null ? reply.reason().orElseThrow() : ErrorReason.of(failure),
              failure == null ? reply.occupant() : Optional.empty()));
    }
  }

  /** Applied after the current event, which can be the cause of the change. */
  private void supplyChanged(WorkerPoolStatus status) {
    mailbox.post(() -> apply(new SupplyStatus(status.requested(), status.other())));
  }

  private TaskManagerGateway taskManager(WorkerId worker) {
    return taskManagers.gateway(worker);
  }

  private void workerReleased(WorkerId worker, Reason reason) {
    taskManagers.released(worker, reason);
  }

  private void workerEnded(WorkerId worker, Reason reason) {
    workerEnds.ended(worker, reason);
    taskManagers.ended(worker, reason);
  }

  private void nodeUnreliable(Block node) {
    blocklist.add(node);
  }

  /** Blocked until it is gone, so that its free slots are not allocated. */
  private void workerDraining(WorkerDraining notice) {
    Duration left = Duration.ofNanos(notice.untilNanos() - env.nanos());
    blocklist.add(
        new Block(
            notice.worker().value(),
            left.compareTo(LEAST_BLOCK) < 0 ? LEAST_BLOCK : left,
            ReasonText.of(notice.reason())));
    apply(notice);
  }

  private void notify(NotifyPending pending) {
    boolean changed = jobMasters.notifyPending(pending);
    if (changed && pending.missing() > 0) {
      context.record(new SlotsMissing(pending.reason().orElseThrow()), pending.job());
    }
  }

  private void fail(FailRequirements failed) {
    LOG.info(
        "The slot requirements of job {} failed: {}", failed.job(), ReasonText.of(failed.reason()));
    context.record(new RequirementsFailed(failed.reason()), failed.job());
    jobMasters.fail(failed.job(), failed.reason());
  }
}
