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
import io.millrace.rpc.Subscription;
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

/** The registrations of TaskManagers. Lives in the ResourceManager's mailbox. */
final class TaskManagerRegistry implements FollowerRegistry.Leader<TaskManagerRegistry.Registered> {
  private static final Logger LOG = LoggerFactory.getLogger(TaskManagerRegistry.class);

  private final ResourceManagerContext term;
  private final WorkerPoolRunner supply;
  private final DelegationTokenManager tokens;
  private final Listener results;
  private FollowerRegistry<WorkerId, Registered> registered;

  /** Released workers that can still be reached, until their driver says that they are gone. */
  private final Map<WorkerId, Registered> leaving = new TreeMap<>();

  /** The newest attempt of each worker that is being checked. */
  private final Map<WorkerId, Check> checking = new TreeMap<>();

  /**
   * @param reply for every repeat of the request, too: a repeat is not a newer attempt
   */
  private record Check(RegisterTaskManager request, CompletableFuture<TaskManagerReply> reply) {}

  /** One registration; a re-registration is another one. */
  static final class Registered {
    private final RegisterTaskManager request;
    private final InstanceId instance;
    private final TaskManagerGateway gateway;

    /** For heartbeats: an answer is in time until the worker counts as silent. */
    private final TaskManagerGateway heartbeatGateway;

    private final long registeredAt;

    /** Watches its connection from its release on. */
    private Subscription leaving = () -> {};

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

  /** What a worker is told of the end of its registration. */
  private enum Word {
    /** It knows, or somebody else ends its process. */
    NONE,
    /** It may register anew. */
    DROPPED,
    /** It has to end. */
    COUNTED_OUT
  }

  /** Hears what workers have of results for later jobs. */
  interface Listener {
    void reported(WorkerId worker, InstanceId instance, PartitionReport report);

    void lost(WorkerId worker);
  }

  TaskManagerRegistry(
      ResourceManagerContext term,
      WorkerPoolRunner supply,
      DelegationTokenManager tokens,
      Listener results) {
    this.term = term;
    this.supply = supply;
    this.tokens = tokens;
    this.results = results;
  }

  /** From now on registrations are taken, and heartbeats are asked for. */
  void startHeartbeats() {
    registered =
        new FollowerRegistry<>(
            term.rpc(), term.mailbox(), HeartbeatSettings.from(term.configuration()), this);
  }

  CompletableFuture<TaskManagerReply> register(RegisterTaskManager request) {
    WorkerId worker = request.worker();
    if (!supply.recognises(worker)) {
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
    Check running = checking.get(worker);
    if (running != null && running.request().equals(request)) {
      return running.reply();
    }
    Check check = new Check(request, new CompletableFuture<>());
    checking.put(worker, check);
    InstanceId instance = InstanceId.random(term.env().random("instances"));
    TaskManagerGateway gateway =
        term.rpc()
            .gateway(TaskManagerGateway.class, request.address(), Optional.empty(), term.mailbox());
    gateway
        .heartbeatFromResourceManager(new AskWorker(term.token(), instance))
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

  /** Any answer will do, also that it does not know this ResourceManager yet: it was reached. */
  private TaskManagerReply checked(
      Check check, InstanceId instance, TaskManagerGateway gateway, Throwable failure) {
    RegisterTaskManager request = check.request();
    WorkerId worker = request.worker();
    if (!check.equals(checking.get(worker))) {
      return reply(RegistrationStatus.REFUSED, new NewerAttempt());
    }
    checking.remove(worker);
    if (!supply.recognises(worker)) {
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

  /** Takes the report that creates a worker's slots, or one that repeats it. */
  void report(ReportSlots report) {
    Registered worker =
        current(report.worker(), report.instance())
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.RESOURCE,
                        "Worker "
                            + report.worker()
                            + " is not registered as "
                            + report.instance()
                            + " (any more). It has to register anew."));
    if (!worker.reported) {
      worker.reported = true;
      // The first heartbeat came before the worker knew that it is registered.
      registered.ask(report.worker(), worker);
    }
    term.record(
        new ResourceManagerEvent.SlotsReported(report.report().slots().size()), report.worker());
    supply.apply(
        new WorkerPoolEvent.Registered(
            report.worker(),
            WorkerSpec.registered(worker.request.total(), report.report().slots().size())));
    term.apply()
        .accept(
            new SlotsReported(
                report.worker(),
                report.instance(),
                worker.request.total(),
                report.report(),
                term.env().nanos()));
  }

  /** What it has of results has changed. */
  void report(ReportPartitions report) {
    current(report.worker(), report.instance())
        .filter(worker -> worker.reported)
        .ifPresent(worker -> results.reported(report.worker(), report.instance(), report.report()));
  }

  /** Where a registered worker hands out its data. */
  String dataAddress(WorkerId worker) {
    return registered.get(worker).orElseThrow().request.dataAddress();
  }

  /** A worker goes by its own decision. */
  void leaves(TaskManagerLeaves notice) {
    current(notice.worker(), notice.instance())
        .ifPresent(worker -> close(worker, notice.reason(), Word.NONE));
  }

  /**
   * A worker has given up its registration, as it does when it has not heard from here for too
   * long. Nothing that it had counts any more, and it is expected to register anew.
   */
  void astray(WorkerId id, InstanceId instance, Reason reason) {
    current(id, instance)
        .ifPresent(
            worker -> {
              term.record(new TaskManagerLost(reason), id);
              drop(worker, reason, Word.NONE);
              supply.apply(new WorkerPoolEvent.RegistrationLost(id));
            });
  }

  /** The registered workers and the node each of them is on. */
  Map<WorkerId, String> nodes() {
    Map<WorkerId, String> nodes = new TreeMap<>();
    for (Registered worker : registered.all()) {
      nodes.put(worker.request.worker(), worker.request.address().host());
    }
    return nodes;
  }

  /** The node a worker is on, where it is registered. */
  Optional<String> node(WorkerId worker) {
    return registered.get(worker).map(known -> known.request.address().host());
  }

  /** A worker is not wanted any more, and the driver ends its process. */
  void released(WorkerId id, Reason reason) {
    Optional<Registered> worker = registered.get(id).filter(known -> supply.startsWorkers());
    end(id, reason, Word.NONE);
    worker.ifPresent(this::awaitEnd);
  }

  /**
   * The pool says that the worker is gone when its driver does, or after a bounded time; one whose
   * connection breaks before registers anew and is turned away.
   */
  private void awaitEnd(Registered worker) {
    leaving.put(worker.request.worker(), worker);
    worker.leaving =
        term.rpc()
            .watch(
                worker.request.address().process(),
                term.mailbox(),
                reason -> forgetLeaving(worker));
  }

  private void forgetLeaving(Registered worker) {
    worker.leaving.cancel();
    leaving.remove(worker.request.worker(), worker);
  }

  /**
   * The driver says that a worker is gone, or does not say what has become of one that was
   * released. That may be true of its container or its node only: a process that lives on hears of
   * it, instead of keeping its tasks until it misses heartbeats.
   */
  void gone(WorkerId id, Reason reason) {
    Optional.ofNullable(leaving.get(id))
        .ifPresent(
            worker -> {
              forgetLeaving(worker);
              disconnect(worker, reason, Word.COUNTED_OUT);
            });
    end(id, reason, Word.COUNTED_OUT);
  }

  private void end(WorkerId id, Reason reason, Word word) {
    registered
        .get(id)
        .ifPresentOrElse(
            worker -> close(worker, reason, word),
            () -> supply.apply(new WorkerPoolEvent.Released(id, reason)));
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
    leaving.values().forEach(worker -> worker.leaving.cancel());
  }

  private TaskManagerReply accept(
      RegisterTaskManager request, InstanceId instance, TaskManagerGateway gateway) {
    WorkerId id = request.worker();
    // The same process knows that it registered anew; another one of this name has to be told.
    registered
        .get(id)
        .ifPresent(
            old ->
                drop(
                    old,
                    new Superseded(id),
                    old.request.address().equals(request.address()) ? Word.NONE : Word.DROPPED));
    Registered worker =
        new Registered(
            request, instance, gateway, heartbeatGateway(request), term.env().wallMillis());
    registered.add(id, request.address().process(), worker);
    LOG.info("Worker {} registered from {} as instance {}", id, request.address(), instance);
    term.record(new ResourceManagerEvent.TaskManagerRegistered(request.address()), id);
    return success(worker);
  }

  private TaskManagerGateway heartbeatGateway(RegisterTaskManager request) {
    return term.rpc()
        .gateway(
            TaskManagerGateway.class,
            request.address(),
            Optional.empty(),
            term.mailbox(),
            HeartbeatSettings.from(term.configuration()).timeout());
  }

  @Override
  public CompletableFuture<Runnable> ask(Registered worker) {
    long asked = term.env().nanos();
    return worker
        .heartbeatGateway
        .heartbeatFromResourceManager(new AskWorker(term.token(), worker.instance))
        .thenApply(report -> () -> answered(worker, asked, report));
  }

  private void answered(Registered worker, long asked, WorkerReport report) {
    WorkerId id = worker.request.worker();
    worker.lastHeartbeatAt = term.env().wallMillis();
    worker.metrics = report.metrics();
    if (worker.reported) {
      term.apply()
          .accept(
              new SlotsReported(
                  id, worker.instance, worker.request.total(), report.slots(), asked));
      results.reported(id, worker.instance, report.partitions());
    }
  }

  @Override
  public void lost(Registered worker, ConnectionLoss loss) {
    close(worker, PeerReason.ofFollower(loss), Word.DROPPED);
  }

  /** Ends a registration and with it what this cluster wants of the worker. */
  private void close(Registered worker, Reason reason, Word word) {
    WorkerId id = worker.request.worker();
    if (registered.has(id, worker)) {
      term.record(new TaskManagerLost(reason), id);
      drop(worker, reason, word);
      supply.apply(new WorkerPoolEvent.Released(id, reason));
    }
  }

  private void drop(Registered worker, Reason reason, Word word) {
    WorkerId id = worker.request.worker();
    registered.remove(id, worker);
    tokens.left(id, worker.instance);
    LOG.info(
        "Worker {} is registered no more (instance {}): {}",
        id,
        worker.instance,
        ReasonText.of(reason));
    disconnect(worker, reason, word);
    term.apply().accept(new WorkerLost(id, worker.instance));
    results.lost(id);
  }

  private void disconnect(Registered worker, Reason reason, Word word) {
    if (word != Word.NONE) {
      worker.gateway.disconnectResourceManager(
          new ResourceManagerDrops(
              term.token(), worker.instance, word == Word.COUNTED_OUT, reason));
    }
  }

  private Optional<Registered> current(WorkerId worker, InstanceId instance) {
    return registered.get(worker).filter(known -> known.instance.equals(instance));
  }

  /** Whether a newer attempt of the same process is registered or being checked. */
  private boolean isOutdated(RegisterTaskManager request) {
    return registered
            .get(request.worker())
            .filter(known -> isNewer(known.request, request))
            .isPresent()
        || (checking.containsKey(request.worker())
            && isNewer(checking.get(request.worker()).request(), request));
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
                term.token(),
                new Address(term.rpc().address(), BlobGateway.NAME),
                tokens.joined(worker.request.worker(), worker.instance))));
  }

  private static CompletableFuture<TaskManagerReply> answer(
      RegistrationStatus verdict, Reason reason) {
    return CompletableFuture.completedFuture(reply(verdict, reason));
  }

  private static TaskManagerReply reply(RegistrationStatus verdict, Reason reason) {
    LOG.info("A worker's registration was answered {}: {}", verdict, ReasonText.of(reason));
    return new TaskManagerReply(verdict, Optional.of(reason), Optional.empty());
  }
}
