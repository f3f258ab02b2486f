package io.millrace.control.resourcemanager;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.slotmanager.SlotEvent.SlotsReported;
import io.millrace.control.slotmanager.SlotEvent.WorkerLost;
import io.millrace.control.slotmanager.SlotManager;
import io.millrace.control.workerpool.WorkerPoolEvent;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.BlobGateway;
import io.millrace.protocol.PartitionReport;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.ReportPartitions;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerLeaves;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerRegistered;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.TaskManagerGateway.ResourceManagerDrops;
import io.millrace.protocol.TaskManagerGateway.WorkerReport;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerLost;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.PeerReason.NewerAttempt;
import io.millrace.protocol.reason.PeerReason.Superseded;
import io.millrace.protocol.reason.PeerReason.WorkerUnknown;
import io.millrace.protocol.reason.PeerReason.WorkerUnreachable;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Address;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import io.millrace.rpc.registration.ConnectionLoss;
import io.millrace.rpc.registration.FollowerRegistry;
import io.millrace.rpc.registration.RegistrationStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registrations of TaskManagers. Lives in the mailbox of the ResourceManager. */
final class TaskManagerRegistry implements FollowerRegistry.Leader<TaskManagerRegistry.Registered> {
  private static final Logger LOG = LoggerFactory.getLogger(TaskManagerRegistry.class);

  private final ResourceManagerContext context;
  private final WorkerPoolRunner workerPool;
  private final DelegationTokenManager tokens;
  private final PartitionListener partitions;
  private FollowerRegistry<WorkerId, Registered> registered;

  private final ReleasedWorkers releasedWorkers;

  /** The newest registration attempt of each worker that is being checked. */
  private final Map<WorkerId, Check> checks = new TreeMap<>();

  /**
   * @param reply the reply to the request and to its repetitions
   */
  private record Check(RegisterTaskManager request, CompletableFuture<TaskManagerReply> reply) {}

  /** One registration. A new registration of the same worker is another object. */
  static final class Registered {
    private final RegisterTaskManager request;
    private final InstanceId instance;
    private final TaskManagerGateway gateway;

    /** For heartbeats: its request timeout is the heartbeat timeout. */
    private final TaskManagerGateway heartbeatGateway;

    private final long registeredAt;

    private boolean reported;
    private long lastHeartbeatAt;
    private ProcessMetrics metrics = ProcessMetrics.NONE;

    Registered(
        RegisterTaskManager request,
        InstanceId instance,
        TaskManagerGateway gateway,
        TaskManagerGateway heartbeatGateway,
        long now) {
      this.request = request;
      this.instance = instance;
      this.gateway = gateway;
      this.heartbeatGateway = heartbeatGateway;
      this.registeredAt = now;
      this.lastHeartbeatAt = now;
    }
  }

  /** The message that a worker gets at the end of its registration. */
  private enum Notification {
    /** None: the worker has ended the registration, or the driver ends its process. */
    NONE,
    /** The worker may register again. */
    RECONNECT,
    /** The worker has to end. */
    TERMINATE
  }

  /** Gets the cluster partitions that workers report. */
  interface PartitionListener {
    void reported(WorkerId worker, InstanceId instance, PartitionReport report);

    void lost(WorkerId worker);
  }

  TaskManagerRegistry(
      ResourceManagerContext context,
      WorkerPoolRunner workerPool,
      DelegationTokenManager tokens,
      PartitionListener partitions) {
    this.context = context;
    this.workerPool = workerPool;
    this.tokens = tokens;
    this.partitions = partitions;
    this.releasedWorkers = new ReleasedWorkers(context);
  }

  /** Starts to accept registrations and to request heartbeats. */
  void startHeartbeats() {
    registered =
        new FollowerRegistry<>(
            context.rpc(),
            context.mailbox(),
            HeartbeatSettings.from(context.configuration()),
            this);
  }

  CompletableFuture<TaskManagerReply> register(RegisterTaskManager request) {
    WorkerId worker = request.worker();
    if (!workerPool.accepts(worker)) {
      return answer(RegistrationStatus.REJECTED, new WorkerUnknown(worker));
    }
    if (isOutdated(request)) {
      return answer(RegistrationStatus.REFUSED, new NewerAttempt());
    }
    Optional<Registered> same =
        registered.get(worker).filter(known -> known.request.equals(request));
    if (same.isPresent()) {
      return CompletableFuture.completedFuture(success(same.get()));
    }
    Check running = checks.get(worker);
    if (running != null && running.request().equals(request)) {
      return running.reply();
    }
    Check check = new Check(request, new CompletableFuture<>());
    checks.put(worker, check);
    InstanceId instance = InstanceId.random(context.env().random("instances"));
    TaskManagerGateway gateway =
        context
            .rpc()
            .gateway(
                TaskManagerGateway.class, request.address(), Optional.empty(), context.mailbox());
    gateway
        .heartbeatFromResourceManager(new AskWorker(context.token(), instance))
        .handle((report, failure) -> checked(check, instance, gateway, failure))
        .whenComplete(
            (reply, failure) -> {
              if (failure == null) {
                check.reply().complete(reply);
              } else {
                check.reply().completeExceptionally(failure);
              }
            });
    return check.reply();
  }

  /**
   * Any answer shows that the worker is reachable, even if it does not know this ResourceManager.
   */
  private TaskManagerReply checked(
      Check check, InstanceId instance, TaskManagerGateway gateway, Throwable failure) {
    RegisterTaskManager request = check.request();
    WorkerId worker = request.worker();
    if (!check.equals(checks.get(worker))) {
      return reply(RegistrationStatus.REFUSED, new NewerAttempt());
    }
    checks.remove(worker);
    if (!workerPool.accepts(worker)) {
      return reply(RegistrationStatus.REJECTED, new WorkerUnknown(worker));
    }
    if (failure != null && !isAnswer(failure)) {
      return reply(
          RegistrationStatus.REFUSED,
          new WorkerUnreachable(
              worker, request.address(), Failure.sentence(Failure.unwrap(failure))));
    }
    return accept(request, instance, gateway);
  }

  /** Applies the report that creates the slots of a worker, or its repetition. */
  void report(ReportSlots report) {
    Registered worker =
        registration(report.worker(), report.instance())
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.RESOURCE,
                        "Worker "
                            + report.worker()
                            + " is not registered as "
                            + report.instance()
                            + " (any more). It has to register again."));
    if (!worker.reported) {
      worker.reported = true;
      // The worker could not answer a heartbeat before it knew that it is registered.
      registered.ask(report.worker(), worker);
    }
    context.record(
        new ResourceManagerEvent.SlotsReported(report.report().slots().size()), report.worker());
    workerPool.apply(
        new WorkerPoolEvent.Registered(
            report.worker(),
            WorkerSpec.registered(worker.request.total(), report.report().slots().size())));
    context
        .apply()
        .accept(
            new SlotsReported(
                report.worker(),
                report.instance(),
                worker.request.total(),
                report.report(),
                context.env().nanos()));
  }

  /** The cluster partitions of a worker have changed. */
  void report(ReportPartitions report) {
    registration(report.worker(), report.instance())
        .filter(worker -> worker.reported)
        .ifPresent(
            worker -> partitions.reported(report.worker(), report.instance(), report.report()));
  }

  /** The address of the data port of a registered worker. */
  String dataAddress(WorkerId worker) {
    return registered.get(worker).orElseThrow().request.dataAddress();
  }

  /** A worker has ended its registration. */
  void disconnected(TaskManagerLeaves notice) {
    registration(notice.worker(), notice.instance())
        .ifPresent(worker -> close(worker, notice.reason(), Notification.NONE));
  }

  /**
   * A worker has given up its registration, for example after a heartbeat timeout. Its slots are
   * removed, and it is expected to register again.
   */
  void registrationLost(WorkerId id, InstanceId instance, Reason reason) {
    registration(id, instance)
        .ifPresent(
            worker -> {
              context.record(new TaskManagerLost(reason), id);
              drop(worker, reason, Notification.NONE);
              workerPool.apply(new WorkerPoolEvent.RegistrationLost(id));
            });
  }

  /** The registered workers with their nodes. */
  Map<WorkerId, String> nodes() {
    Map<WorkerId, String> nodes = new TreeMap<>();
    for (Registered worker : registered.all()) {
      nodes.put(worker.request.worker(), worker.request.address().host());
    }
    return nodes;
  }

  /** The node of a worker, if it is registered. */
  Optional<String> node(WorkerId worker) {
    return registered.get(worker).map(known -> known.request.address().host());
  }

  /** A worker is released, and the driver ends its process. */
  void released(WorkerId id, Reason reason) {
    Optional<Registered> worker = registered.get(id).filter(known -> workerPool.startsWorkers());
    end(id, reason, Notification.NONE);
    worker.ifPresent(known -> releasedWorkers.add(known.request, known.instance, known.gateway));
  }

  /**
   * The driver has reported the end of a worker, or has not reported the end of a released one in
   * time. The driver may know only about its container or node. A process that still runs is told
   * to end, so that it does not keep its tasks until a heartbeat timeout.
   */
  void ended(WorkerId id, Reason reason) {
    releasedWorkers.ended(id, reason);
    end(id, reason, Notification.TERMINATE);
  }

  private void end(WorkerId id, Reason reason, Notification notification) {
    registered
        .get(id)
        .ifPresentOrElse(
            worker -> close(worker, reason, notification),
            () -> workerPool.apply(new WorkerPoolEvent.Released(id, reason)));
  }

  /** The worker must be registered. */
  TaskManagerGateway gateway(WorkerId worker) {
    return registered.get(worker).orElseThrow().gateway;
  }

  List<WorkerInfo> list(Function<WorkerId, Optional<SlotManager.Usage>> usage) {
    List<WorkerInfo> workers = new ArrayList<>();
    for (Registered worker : registered.all()) {
      RegisterTaskManager request = worker.request;
      SlotManager.Usage slots =
          usage
              .apply(request.worker())
              .orElseGet(() -> new SlotManager.Usage(0, 0, request.total(), new ArrayList<>()));
      workers.add(
          new WorkerInfo(
              request.worker(),
              request.address(),
              request.dataAddress(),
              worker.registeredAt,
              worker.lastHeartbeatAt,
              request.hardware(),
              request.total(),
              slots.left(),
              slots.slots(),
              slots.free(),
              slots.inUse(),
              worker.metrics));
    }
    return workers;
  }

  void close() {
    registered.close();
    releasedWorkers.close();
  }

  private TaskManagerReply accept(
      RegisterTaskManager request, InstanceId instance, TaskManagerGateway gateway) {
    WorkerId id = request.worker();
    // The same process knows about its new registration; another one with this id is notified.
    registered
        .get(id)
        .ifPresent(
            old ->
                drop(
                    old,
                    new Superseded(id),
                    old.request.address().equals(request.address())
                        ? Notification.NONE
                        : Notification.RECONNECT));
    Registered worker =
        new Registered(
            request, instance, gateway, heartbeatGateway(request), context.env().wallMillis());
    registered.add(id, request.address().process(), worker);
    LOG.info("Worker {} registered from {} as instance {}", id, request.address(), instance);
    context.record(new ResourceManagerEvent.TaskManagerRegistered(request.address()), id);
    return success(worker);
  }

  private TaskManagerGateway heartbeatGateway(RegisterTaskManager request) {
    return context
        .rpc()
        .gateway(
            TaskManagerGateway.class,
            request.address(),
            Optional.empty(),
            context.mailbox(),
            HeartbeatSettings.from(context.configuration()).timeout());
  }

  @Override
  public CompletableFuture<Runnable> ask(Registered worker) {
    long asked = context.env().nanos();
    return worker
        .heartbeatGateway
        .heartbeatFromResourceManager(new AskWorker(context.token(), worker.instance))
        .thenApply(report -> () -> answered(worker, asked, report));
  }

  private void answered(Registered worker, long asked, WorkerReport report) {
    WorkerId id = worker.request.worker();
    worker.lastHeartbeatAt = context.env().wallMillis();
    worker.metrics = report.metrics();
    if (worker.reported) {
      context
          .apply()
          .accept(
              new SlotsReported(
                  id, worker.instance, worker.request.total(), report.slots(), asked));
      partitions.reported(id, worker.instance, report.partitions());
    }
  }

  @Override
  public void lost(Registered worker, ConnectionLoss loss) {
    close(worker, PeerReason.ofFollower(loss), Notification.RECONNECT);
  }

  /** Ends a registration and releases the worker. */
  private void close(Registered worker, Reason reason, Notification notification) {
    WorkerId id = worker.request.worker();
    if (registered.has(id, worker)) {
      context.record(new TaskManagerLost(reason), id);
      drop(worker, reason, notification);
      workerPool.apply(new WorkerPoolEvent.Released(id, reason));
    }
  }

  private void drop(Registered worker, Reason reason, Notification notification) {
    WorkerId id = worker.request.worker();
    registered.remove(id, worker);
    tokens.left(id, worker.instance);
    LOG.info(
        "The registration of worker {} as instance {} has ended: {}",
        id,
        worker.instance,
        ReasonText.of(reason));
    notifyDisconnected(worker, reason, notification);
    context.apply().accept(new WorkerLost(id, worker.instance));
    partitions.lost(id);
  }

  private void notifyDisconnected(Registered worker, Reason reason, Notification notification) {
    if (notification != Notification.NONE) {
      worker.gateway.disconnectResourceManager(
          new ResourceManagerDrops(
              context.token(), worker.instance, notification == Notification.TERMINATE, reason));
    }
  }

  private Optional<Registered> registration(WorkerId worker, InstanceId instance) {
    return registered.get(worker).filter(known -> known.instance.equals(instance));
  }

  /** Whether a newer attempt of the same process is registered or being checked. */
  private boolean isOutdated(RegisterTaskManager request) {
    return registered
            .get(request.worker())
            .filter(known -> isNewer(known.request, request))
            .isPresent()
        || (checks.containsKey(request.worker())
            && isNewer(checks.get(request.worker()).request(), request));
  }

  private static boolean isNewer(RegisterTaskManager one, RegisterTaskManager other) {
    return one.address().equals(other.address()) && one.attempt() > other.attempt();
  }

  private static boolean isAnswer(Throwable failure) {
    return RpcException.is(failure, RpcError.Code.FAILED);
  }

  private TaskManagerReply success(Registered worker) {
    return new TaskManagerReply(
        RegistrationStatus.ACCEPTED,
        Optional.empty(),
        Optional.of(
            new TaskManagerRegistered(
                worker.instance,
                context.token(),
                new Address(context.rpc().address(), BlobGateway.NAME),
                tokens.joined(worker.request.worker(), worker.instance))));
  }

  private static CompletableFuture<TaskManagerReply> answer(
      RegistrationStatus status, Reason reason) {
    return CompletableFuture.completedFuture(reply(status, reason));
  }

  private static TaskManagerReply reply(RegistrationStatus status, Reason reason) {
    LOG.info("The registration of a worker was answered {}: {}", status, ReasonText.of(reason));
    return new TaskManagerReply(status, Optional.of(reason), Optional.empty());
  }
}
