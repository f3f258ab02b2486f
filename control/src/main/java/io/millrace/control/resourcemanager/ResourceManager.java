package io.millrace.control.resourcemanager;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.slotmanager.SlotAction;
import io.millrace.control.slotmanager.SlotAction.EndJob;
import io.millrace.control.slotmanager.SlotAction.FailRequirements;
import io.millrace.control.slotmanager.SlotAction.Note;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
import io.millrace.control.slotmanager.SlotAction.ReleaseWorker;
import io.millrace.control.slotmanager.SlotAction.WantWorkers;
import io.millrace.control.slotmanager.SlotEvent;
import io.millrace.control.slotmanager.SlotEvent.RequirementsDeclared;
import io.millrace.control.slotmanager.SlotEvent.SlotFreed;
import io.millrace.control.slotmanager.SlotEvent.SlotGranted;
import io.millrace.control.slotmanager.SlotEvent.SlotRefused;
import io.millrace.control.slotmanager.SlotEvent.SupplyKnown;
import io.millrace.control.slotmanager.SlotEvent.SupplyStatus;
import io.millrace.control.slotmanager.SlotEvent.Tick;
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

/** One term of the ResourceManager. Everything of it lives in its mailbox. */
final class ResourceManager extends Endpoint implements ResourceManagerGateway {
  private static final Logger LOG = LoggerFactory.getLogger(ResourceManager.class);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final LeaderToken self;
  private final LeaderRetrieval leaders;
  private final DelegationTokenManager tokens;
  private final WorkerPoolRunner supply;
  private final WorkerDriver driver;
  private final StoredWorkerLimit limit;
  private final Configuration configuration;
  private final JobMasterRegistry jobMasters;
  private final TaskManagerRegistry taskManagers;
  private final ClusterDataSets dataSets;
  private final Blocklist blocklist;
  private final ResourceManagerContext term;
  private final SlotRequestJournal requests;
  private DriverTermination ending = new DriverTermination.Suspended();
  private boolean stopping;
  private boolean driverStarted;

  /** What the driver can do; written before the start and read in it. */
  private volatile Optional<DriverCapabilities> offered = Optional.empty();

  /** How many workers somebody has said there may be before this term began. */
  private OptionalInt limited = OptionalInt.empty();

  /** The newest change of that, which is stored before the next one is. */
  private CompletableFuture<?> limiting = CompletableFuture.completedFuture(null);

  /** Made in the start. */
  private SlotManager slots;

  private Optional<DeciderRunner<SlotEvent, SlotAction>> decisions = Optional.empty();

  /** The services of this term that have started, in that order. */
  private final List<String> started = new ArrayList<>();

  /**
   * @param broken told where the driver cannot go on
   */
  ResourceManager(
      ClusterServices cluster,
      LeaderToken token,
      ResourceManagerRunner.Backing backing,
      Consumer<Throwable> broken) {
    super(cluster.rpc(), ComponentNames.RESOURCE_MANAGER, Optional.of(token));
    this.self = token;
    this.driver = backing.driver();
    this.limit = new StoredWorkerLimit(backing.store(), token.term());
    this.configuration = cluster.configuration();
    this.term =
        new ResourceManagerContext(
            rpc, mailbox, token, cluster.configuration(), this::apply, this::record);
    this.requests = new SlotRequestJournal(term);
    this.leaders = cluster.leaders();
    this.jobMasters = new JobMasterRegistry(term);
    this.supply =
        new WorkerPoolRunner(
            term,
            driver,
            new WorkerPoolRunner.Listener(
                this::workerReleased, this::workerGone, this::supplyChanged, broken));
    this.tokens = new DelegationTokenManager(term, backing.tokens(), this::taskManager);
    this.dataSets = new ClusterDataSets(term, this::release);
    this.taskManagers = new TaskManagerRegistry(term, supply, this.tokens, dataSets);
    this.blocklist = new Blocklist(term, taskManagers::nodes, driver::blocked);
  }

  /**
   * Each step begins when the one before is done. The driver comes last: workers that it starts
   * find everything else in place.
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
                              settings(Optional.empty(), new MoreWorkersNeeded()),
                              env.random("allocations"),
                              env.nanos());
                      decisions =
                          Optional.of(
                              new DeciderRunner<>(
                                  env, mailbox, slots, new Tick(), this::act, () -> {}));
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
              LOG.info("{} of ResourceManager {} started", service, self);
              started.add(service);
            });
  }

  private SlotSettings settings(Optional<Startable> startable, Reason advice) {
    return SlotSettings.from(configuration, startable, advice);
  }

  private CompletableFuture<Void> startDriver() {
    if (stopping) {
      return CompletableFuture.failedFuture(
          new MillraceException(ErrorKind.EXTERNAL, "The ResourceManager stops."));
    }
    driverStarted = true;
    return supply
        .start()
        .thenCompose(
            supplied -> {
              offered = Optional.of(supplied);
              return supplied
                  .startable()
                  .map(usual -> env.io().call(mailbox, () -> limit.begin(usual.most())))
                  .orElseGet(() -> CompletableFuture.completedFuture(OptionalInt.empty()));
            })
        .thenAccept(found -> limited = found);
  }

  @Override
  protected void onStart() {
    DriverCapabilities supplied = offered.orElseThrow();
    // First who asks the driver: with its settings the SlotManager wants the configured minimum.
    supply.supplied(supplied);
    limited.ifPresent(most -> limit(most, true));
    apply(new SupplyKnown(settings(supplied.startable(), driver.advice())));
    // Spares and the configured minimum are wanted before anybody needs anything.
    apply(new Tick());
    term.record(new ResourceManagerStarted(self.term(), started));
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
    return driverStarted ? supply.stop(ending) : CompletableFuture.completedFuture(null);
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
    // Before its slots are known, so that none of a blocked worker is handed out.
    taskManagers
        .node(report.worker())
        .ifPresent(node -> blocklist.workerCame(report.worker(), node));
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
        .releasePartitions(new ReleasePartitions(self, instance, partitions));
  }

  @Override
  public CompletableFuture<Acknowledge> declareRequirements(DeclareRequirements declaration) {
    jobMasters.checkRegistered(declaration.job(), declaration.leader());
    int wanted = declaration.requirements().stream().mapToInt(Requirement::slots).sum();
    term.record(new RequirementsReceived(wanted), declaration.job());
    apply(
        new RequirementsDeclared(
            declaration.job(), declaration.requirements(), declaration.patience()));
    jobMasters.tellSuccessor(declaration.job());
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public void slotAvailable(SlotAvailable notice) {
    apply(new SlotFreed(notice.worker(), notice.instance(), notice.allocation()));
  }

  @Override
  public void disconnectTaskManager(TaskManagerLeaves notice) {
    taskManagers.leaves(notice);
  }

  @Override
  public CompletableFuture<Acknowledge> disconnectJobMaster(JobMasterLeaves notice) {
    jobMasters.leaves(notice);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> deregisterApplication(DeregisterApplication request) {
    ending = new DriverTermination.Over(request.status(), request.diagnostics());
    ApplicationDeregistered over = new ApplicationDeregistered(request.status());
    LOG.info("{} {}", JournalText.of(over), request.diagnostics());
    term.record(over);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> limitWorkers(LimitWorkers change) {
    if (!supply.startsWorkers()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The TaskManagers of this cluster are started by somebody else, so there is no limit to"
              + " change. Start it with --elastic to have them come and go by themselves.");
    }
    CompletableFuture<Acknowledge> limiting =
        this.limiting
            .handle((done, failure) -> change)
            .thenCompose(next -> env.io().call(mailbox, () -> stored(next)))
            .thenApply(
                stored -> {
                  limit(change.most(), false);
                  return stored;
                });
    this.limiting = limiting;
    return limiting;
  }

  private Acknowledge stored(LimitWorkers change) {
    limit.put(change.most(), offered.flatMap(DriverCapabilities::startable).orElseThrow().most());
    return Acknowledge.INSTANCE;
  }

  private void limit(int most, boolean inherited) {
    term.record(new ResourceManagerEvent.WorkersLimited(most, inherited));
    supply.apply(new WorkerPoolEvent.Limited(most));
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

  private void apply(SlotEvent event) {
    decisions.orElseThrow().apply(event);
  }

  private void act(List<SlotAction> actions) {
    Map<JobId, Map<WorkerId, Integer>> requested = requested(actions);
    for (SlotAction action : actions) {
      if (action instanceof SlotAction.RequestSlot request) {
        Map<WorkerId, Integer> all = requested.remove(request.job());
        if (all != null) {
          requests.begin(request.job(), all);
        }
        request(request);
      } else if (action instanceof NotifyPending pending) {
        notify(pending);
      } else if (action instanceof FailRequirements failed) {
        fail(failed);
      } else if (action instanceof WantWorkers want) {
        supply.apply(new WorkerPoolEvent.Wanted(want.workers()));
      } else if (action instanceof ReleaseWorker release) {
        taskManagers.released(release.worker(), release.reason());
      } else if (action instanceof EndJob ended) {
        taskManagers
            .gateway(ended.worker())
            .jobEnded(new JobEnded(self, ended.instance(), ended.job()));
      } else if (action instanceof Note note) {
        term.record(note.event(), note.job());
      } else {
        throw new IllegalArgumentException("Unknown action " + action);
      }
    }
  }

  /** How many slots are requested for each job at each worker. */
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
                self,
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
      taskManagers.astray(request.worker(), request.instance(), reply.reason().orElseThrow());
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

  /** Comes when the event in hand is done with: it may be what changed the pool. */
  private void supplyChanged(WorkerPoolStatus status) {
    mailbox.post(() -> apply(new SupplyStatus(status.asked(), status.other())));
  }

  private TaskManagerGateway taskManager(WorkerId worker) {
    return taskManagers.gateway(worker);
  }

  private void workerReleased(WorkerId worker, Reason reason) {
    taskManagers.released(worker, reason);
  }

  private void workerGone(WorkerId worker, Reason reason) {
    taskManagers.gone(worker, reason);
  }

  private void notify(NotifyPending pending) {
    boolean changed = jobMasters.tell(pending.job(), pending.missing(), pending.reason());
    if (changed && pending.missing() > 0) {
      term.record(new SlotsMissing(pending.reason().orElseThrow()), pending.job());
    }
  }

  private void fail(FailRequirements failed) {
    LOG.info(
        "Job {} will not get the slots it needs: {}", failed.job(), ReasonText.of(failed.reason()));
    term.record(new RequirementsFailed(failed.reason()), failed.job());
    jobMasters.fail(failed.job(), failed.reason());
  }
}
