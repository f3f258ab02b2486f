package io.millrace.worker.taskexecutor;

import io.millrace.protocol.journal.TaskExecutorEvent.RegisteredWithSlots;
import io.millrace.protocol.journal.TaskExecutorEvent.ResourceManagerDisconnected;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.InstanceId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.PartitionReport;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.ReportPartitions;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerLeaves;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerRegistered;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.DroppedByPeer;
import io.millrace.protocol.reason.PeerReason.HeartbeatRequestTimeout;
import io.millrace.protocol.reason.PeerReason.LeaderChanged;
import io.millrace.protocol.reason.PeerReason.LeaderUnknown;
import io.millrace.protocol.reason.PeerReason.RegisteredElsewhere;
import io.millrace.protocol.reason.PeerReason.RemovedByDriver;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.heartbeat.HeartbeatMonitor;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.RegistrationSettings;
import io.millrace.rpc.registration.RetryingRegistration;
import io.millrace.rpc.registration.RetryingRegistration.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the ResourceManager, registers there and reports the slots, again at every loss and every
 * change. Ends the process where that does not succeed in time. Tasks do not notice.
 */
final class TaskExecutorResourceManagerConnection {
  private static final Logger LOG =
      LoggerFactory.getLogger(TaskExecutorResourceManagerConnection.class);

  private final TaskExecutorContext worker;
  private final Supplier<SlotReport> slots;
  private final Function<List<IssuedToken>, CompletableFuture<Void>> tokens;
  private final HeartbeatMonitor<InstanceId> heartbeats;
  private Subscription following = () -> {};
  private Optional<Leader> leader = Optional.empty();
  private Optional<Leader> lastLeader = Optional.empty();
  private Optional<Registered> registered = Optional.empty();
  private Optional<RetryingRegistration<TaskManagerRegistered>> registration = Optional.empty();
  private Subscription connection = () -> {};
  private Mailbox.Timer deadline = () -> {};
  private boolean connected;
  private long attempt;

  /** What the ResourceManager knows this worker by. */
  private record Registered(
      ResourceManagerGateway gateway, LeaderToken resourceManager, InstanceId instance) {}

  /**
   * @param tokens takes delegation tokens; what it returns completes in the mailbox
   */
  TaskExecutorResourceManagerConnection(
      TaskExecutorContext worker,
      Supplier<SlotReport> slots,
      Function<List<IssuedToken>, CompletableFuture<Void>> tokens) {
    this.worker = worker;
    this.slots = slots;
    this.tokens = tokens;
    // A worker that starts again must not begin below the attempts of its forerunner.
    this.attempt = worker.incarnation();
    HeartbeatSettings heartbeat = HeartbeatSettings.from(worker.settings().configuration());
    this.heartbeats =
        new HeartbeatMonitor<>(
            worker.rpc().env(),
            worker.mailbox(),
            heartbeat,
            silent -> lostAndRegister(new HeartbeatRequestTimeout(heartbeat.timeout())));
  }

  void start() {
    expectRegistration();
    following = worker.follow(ComponentNames.RESOURCE_MANAGER, this::leaderIs);
  }

  /** Whether a message comes from the ResourceManager this worker is registered at. */
  boolean isFrom(LeaderToken resourceManager, InstanceId instance) {
    return registered.isPresent()
        && registered.get().resourceManager().equals(resourceManager)
        && registered.get().instance().equals(instance);
  }

  /** Why a message is not executed, with both tokens. */
  MillraceException fenced(LeaderToken resourceManager, InstanceId instance) {
    return new MillraceException(
        ErrorKind.EXTERNAL, ReasonText.of(elsewhere(resourceManager, instance)));
  }

  RegisteredElsewhere elsewhere(LeaderToken resourceManager, InstanceId instance) {
    return new RegisteredElsewhere(
        worker.id(),
        registered.map(Registered::resourceManager),
        registered.map(Registered::instance),
        resourceManager,
        instance);
  }

  void heard(InstanceId instance) {
    heartbeats.heard(instance);
  }

  void dropped(Reason reason) {
    lostAndRegister(new DroppedByPeer(reason));
  }

  /** Others have its place: what it goes on with is of no use to anybody, and takes room. */
  void countedOut(Reason reason) {
    lost(new RemovedByDriver(reason));
    worker
        .fatal()
        .accept(
            new MillraceException(
                ErrorKind.RESOURCE,
                "The ResourceManager counts worker "
                    + worker.id()
                    + " out: "
                    + ReasonText.of(reason)));
  }

  void slotAvailable(AllocationId allocation) {
    // While nobody is registered the next slot report will tell.
    registered.ifPresent(
        now ->
            now.gateway()
                .slotAvailable(new SlotAvailable(worker.id(), now.instance(), allocation)));
  }

  /** Completes when it knows, or at once where nobody is registered: its next question will do. */
  CompletableFuture<Acknowledge> report(PartitionReport partitions) {
    return registered
        .map(
            now ->
                now.gateway()
                    .reportPartitions(
                        new ReportPartitions(worker.id(), now.instance(), partitions)))
        .orElseGet(() -> CompletableFuture.completedFuture(Acknowledge.INSTANCE));
  }

  void close(Reason reason) {
    following.cancel();
    deadline.cancel();
    registered.ifPresent(
        now ->
            now.gateway()
                .disconnectTaskManager(new TaskManagerLeaves(worker.id(), now.instance(), reason)));
    disconnect();
    heartbeats.close();
  }

  private void leaderIs(Optional<Leader> now) {
    if (now.equals(leader)) {
      return;
    }
    leader = now;
    lost(now.isPresent() ? new LeaderChanged() : new LeaderUnknown());
    if (now.isPresent()) {
      if (!now.equals(lastLeader)) {
        expectRegistration();
      }
      lastLeader = now;
      register(now.get());
    }
  }

  private void lostAndRegister(Reason reason) {
    lost(reason);
    leader.ifPresent(this::register);
  }

  private void lost(Reason reason) {
    boolean was = connected;
    disconnect();
    if (was) {
      LOG.info("Worker {} lost the ResourceManager: {}", worker.id(), ReasonText.of(reason));
      worker.record(new ResourceManagerDisconnected(reason));
      expectRegistration();
    }
  }

  private void disconnect() {
    registration.ifPresent(RetryingRegistration::cancel);
    registration = Optional.empty();
    registered.ifPresent(now -> heartbeats.forget(now.instance()));
    registered = Optional.empty();
    connection.cancel();
    connected = false;
  }

  private void register(Leader at) {
    Attempts attempts = new Attempts(at);
    RetryingRegistration<TaskManagerRegistered> next =
        new RetryingRegistration<>(
            worker.mailbox(),
            RegistrationSettings.from(worker.settings().configuration()),
            "Registration of worker " + worker.id() + " at ResourceManager " + at.address(),
            attempts::make,
            success -> connected(at),
            reason -> rejected(at, reason));
    attempts.registration = Optional.of(next);
    registration = attempts.registration;
    next.start();
  }

  /** One registration's attempts: each registers and reports the slots, in one go. */
  private final class Attempts {
    private final Leader at;
    private Optional<RetryingRegistration<TaskManagerRegistered>> registration = Optional.empty();

    Attempts(Leader at) {
      this.at = at;
    }

    CompletableFuture<Answer<TaskManagerRegistered>> make(Duration timeout) {
      ResourceManagerGateway gateway =
          worker
              .rpc()
              .gateway(
                  ResourceManagerGateway.class,
                  at.address(),
                  Optional.of(at.token()),
                  worker.mailbox(),
                  timeout);
      WorkerSettings settings = worker.settings();
      RegisterTaskManager request =
          new RegisterTaskManager(
              worker.id(),
              ++attempt,
              worker.address(),
              worker.host().dataAddress(),
              settings.hardware(),
              settings.slotProfile(),
              settings.total());
      return gateway.registerTaskManager(request).thenCompose(reply -> answered(gateway, reply));
    }

    private CompletableFuture<Answer<TaskManagerRegistered>> answered(
        ResourceManagerGateway gateway, TaskManagerReply reply) {
      Answer<TaskManagerRegistered> answer =
          Answer.of(
              reply.verdict(), reply.reason().map(ReasonText::of).orElse(""), reply.success());
      if (isOutdated() || reply.success().isEmpty()) {
        return CompletableFuture.completedFuture(answer);
      }
      TaskManagerRegistered success = reply.success().get();
      // Before there is a slot for a task that may need them.
      return tokens
          .apply(success.tokens())
          .handle((taken, failure) -> Optional.ofNullable(failure).map(Failure::unwrap))
          .thenCompose(
              failure -> {
                if (isOutdated()) {
                  return CompletableFuture.completedFuture(answer);
                }
                return failure.isPresent()
                    ? CompletableFuture.completedFuture(withoutTokens(failure.get()))
                    : report(gateway, success, answer);
              });
    }

    private CompletableFuture<Answer<TaskManagerRegistered>> report(
        ResourceManagerGateway gateway,
        TaskManagerRegistered success,
        Answer<TaskManagerRegistered> answer) {
      // From here on, before the report is acknowledged, it may give away slots of this instance.
      registered = Optional.of(new Registered(lasting(), at.token(), success.instance()));
      worker.blobs().fetchFrom(success.blobs());
      return gateway
          .reportSlots(new ReportSlots(worker.id(), success.instance(), slots.get()))
          .thenApply(acknowledged -> answer);
    }

    /** A plugin that is not there will not come; a receiver that failed may do better later. */
    private Answer<TaskManagerRegistered> withoutTokens(Throwable failure) {
      if (failure instanceof MillraceException known && known.kind() == ErrorKind.USER) {
        worker.fatal().accept(failure);
      }
      return new Answer.Refused<>(Failure.sentence(failure));
    }

    private boolean isOutdated() {
      return !TaskExecutorResourceManagerConnection.this.registration.equals(registration);
    }

    private ResourceManagerGateway lasting() {
      return worker
          .rpc()
          .gateway(
              ResourceManagerGateway.class,
              at.address(),
              Optional.of(at.token()),
              worker.mailbox());
    }
  }

  private void connected(Leader at) {
    registration = Optional.empty();
    connected = true;
    deadline.cancel();
    InstanceId instance = registered.orElseThrow().instance();
    connection =
        worker
            .rpc()
            .watch(
                at.address().process(),
                worker.mailbox(),
                lost -> lostAndRegister(new ConnectionLost(lost)));
    heartbeats.watch(instance);
    LOG.info(
        "Worker {} registered at ResourceManager {} as instance {}",
        worker.id(),
        at.address(),
        instance);
    worker.record(new RegisteredWithSlots(at.address(), worker.settings().slots()));
  }

  private void rejected(Leader at, String reason) {
    registration = Optional.empty();
    worker
        .fatal()
        .accept(
            new MillraceException(
                ErrorKind.RESOURCE,
                "The ResourceManager at "
                    + at.address()
                    + " rejected worker "
                    + worker.id()
                    + " for good: "
                    + reason));
  }

  private void expectRegistration() {
    deadline.cancel();
    Duration timeout = worker.settings().registrationTimeout();
    if (!timeout.isNegative() && !timeout.isZero()) {
      deadline = worker.mailbox().after(timeout, () -> gaveUp(timeout));
    }
  }

  private void gaveUp(Duration timeout) {
    String tried =
        lastLeader
            .map(last -> "it tried " + last.address())
            .orElseGet(() -> "it found no leader of it through " + worker.leaders());
    worker
        .fatal()
        .accept(
            new MillraceException(
                ErrorKind.EXTERNAL,
                "Worker "
                    + worker.id()
                    + " could not register at a ResourceManager within "
                    + timeout.toMillis()
                    + " ms ("
                    + Options.WORKER_REGISTRATION_TIMEOUT.key()
                    + "): "
                    + tried
                    + ". Check that the JobManager runs and can be reached there."));
  }
}
