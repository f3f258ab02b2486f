package io.millrace.worker.taskexecutor;

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
import io.millrace.protocol.journal.TaskExecutorEvent.RegisteredWithSlots;
import io.millrace.protocol.journal.TaskExecutorEvent.ResourceManagerDisconnected;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.PeerReason.CountedOut;
import io.millrace.protocol.reason.PeerReason.DroppedByPeer;
import io.millrace.protocol.reason.PeerReason.RegisteredElsewhere;
import io.millrace.protocol.reason.PeerReason.RegistrationRejected;
import io.millrace.protocol.reason.PeerReason.RemovedByDriver;
import io.millrace.protocol.reason.PeerReason.ResourceManagerNotFound;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonException;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.ConnectionLoss;
import io.millrace.rpc.registration.LeaderConnection;
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
 * The connection of a TaskManager to the leading ResourceManager: registers there and reports the
 * slots. Ends the process if that does not succeed in time. Tasks keep running meanwhile.
 */
final class TaskExecutorResourceManagerConnection
    implements LeaderConnection.Follower<TaskManagerRegistered, Reason> {
  private static final Logger LOG =
      LoggerFactory.getLogger(TaskExecutorResourceManagerConnection.class);

  private final TaskExecutorContext worker;
  private final Supplier<SlotReport> slots;
  private final Function<List<IssuedToken>, CompletableFuture<Void>> tokens;
  private final LeaderConnection<TaskManagerRegistered, Reason> connection;
  private Optional<Leader> lastLeader = Optional.empty();
  private Optional<Registered> registered = Optional.empty();
  private Mailbox.Timer deadline = () -> {};
  private long attempts;

  /** The accepted registration. */
  private record Registered(
      LeaderConnection.Attempt attempt, ResourceManagerGateway gateway, InstanceId instance) {
    LeaderToken resourceManager() {
      return attempt.leader().token();
    }
  }

  /**
   * @param tokens applies delegation tokens; its future completes in the mailbox
   */
  TaskExecutorResourceManagerConnection(
      TaskExecutorContext worker,
      Supplier<SlotReport> slots,
      Function<List<IssuedToken>, CompletableFuture<Void>> tokens) {
    this.worker = worker;
    this.slots = slots;
    this.tokens = tokens;
    // A restarted worker must not start below the attempt numbers of the previous process.
    this.attempts = worker.incarnation();
    this.connection =
        new LeaderConnection<>(
            worker.rpc(),
            worker.mailbox(),
            worker.settings().configuration(),
            "Registration of worker " + worker.id() + " at ResourceManager",
            this);
  }

  void start() {
    startDeadline();
    connection.start(listener -> worker.follow(ComponentNames.RESOURCE_MANAGER, listener));
  }

  /** Whether a message comes from the ResourceManager at which this worker is registered. */
  boolean isFrom(LeaderToken resourceManager, InstanceId instance) {
    return registered()
        .filter(current -> current.resourceManager().equals(resourceManager))
        .filter(current -> current.instance().equals(instance))
        .isPresent();
  }

  /** The error for a message that is not executed, with both tokens. */
  MillraceException fenced(LeaderToken resourceManager, InstanceId instance) {
    return new MillraceException(
        ErrorKind.EXTERNAL, ReasonText.of(elsewhere(resourceManager, instance)));
  }

  RegisteredElsewhere elsewhere(LeaderToken resourceManager, InstanceId instance) {
    return new RegisteredElsewhere(
        worker.id(),
        registered().map(Registered::resourceManager),
        registered().map(Registered::instance),
        resourceManager,
        instance);
  }

  /** Records a heartbeat of the ResourceManager. */
  void heard() {
    connection.heard();
  }

  void dropped(Reason reason) {
    if (connection.connected().isPresent()) {
      lost(new DroppedByPeer(reason));
    }
    connection.reconnect();
  }

  /** The cluster has replaced this worker: its process ends. */
  void countedOut(Reason reason) {
    lost(new RemovedByDriver(reason));
    connection.disconnect();
    worker
        .fatal()
        .accept(new ReasonException(ErrorKind.RESOURCE, new CountedOut(worker.id(), reason)));
  }

  void slotAvailable(AllocationId allocation) {
    // If this worker is not registered, the next slot report contains the free slot.
    registered()
        .ifPresent(
            current ->
                current
                    .gateway()
                    .slotAvailable(new SlotAvailable(worker.id(), current.instance(), allocation)));
  }

  /**
   * Completes when the ResourceManager has acknowledged, or at once if this worker is not
   * registered: the next heartbeat then contains the report.
   */
  CompletableFuture<Acknowledge> report(PartitionReport partitions) {
    return registered()
        .map(
            current ->
                current
                    .gateway()
                    .reportPartitions(
                        new ReportPartitions(worker.id(), current.instance(), partitions)))
        .orElseGet(() -> CompletableFuture.completedFuture(Acknowledge.INSTANCE));
  }

  void close(Reason reason) {
    deadline.cancel();
    registered()
        .ifPresent(
            current ->
                current
                    .gateway()
                    .disconnectTaskManager(
                        new TaskManagerLeaves(worker.id(), current.instance(), reason)));
    connection.close();
  }

  private Optional<Registered> registered() {
    return registered.filter(current -> current.attempt().isCurrent());
  }

  /** Registers, applies the tokens and reports the slots, as one attempt. */
  @Override
  public CompletableFuture<Answer<TaskManagerRegistered, Reason>> register(
      LeaderConnection.Attempt attempt) {
    Leader leader = attempt.leader();
    ResourceManagerGateway gateway =
        worker
            .rpc()
            .gateway(
                ResourceManagerGateway.class,
                leader.address(),
                Optional.of(leader.token()),
                worker.mailbox(),
                attempt.timeout());
    WorkerSettings settings = worker.settings();
    RegisterTaskManager request =
        new RegisterTaskManager(
            worker.id(),
            ++attempts,
            worker.address(),
            worker.host().dataAddress(),
            settings.hardware(),
            settings.slotProfile(),
            settings.total());
    return gateway
        .registerTaskManager(request)
        .thenCompose(reply -> answered(attempt, gateway, reply));
  }

  private CompletableFuture<Answer<TaskManagerRegistered, Reason>> answered(
      LeaderConnection.Attempt attempt, ResourceManagerGateway gateway, TaskManagerReply reply) {
    Answer<TaskManagerRegistered, Reason> answer = Answer.of(reply);
    if (!attempt.isCurrent() || reply.success().isEmpty()) {
      return CompletableFuture.completedFuture(answer);
    }
    TaskManagerRegistered success = reply.success().get();
    // Before a slot is available for a task that may need them.
    return tokens
        .apply(success.tokens())
        .handle((taken, failure) -> Optional.ofNullable(failure).map(Failure::unwrap))
        .thenCompose(
            failure -> {
              if (!attempt.isCurrent()) {
                return CompletableFuture.completedFuture(answer);
              }
              return failure.isPresent()
                  ? CompletableFuture.completedFuture(withoutTokens(failure.get()))
                  : reportSlots(attempt, gateway, success).thenApply(acknowledged -> answer);
            });
  }

  private CompletableFuture<Acknowledge> reportSlots(
      LeaderConnection.Attempt attempt,
      ResourceManagerGateway gateway,
      TaskManagerRegistered success) {
    Leader leader = attempt.leader();
    ResourceManagerGateway longLived =
        worker
            .rpc()
            .gateway(
                ResourceManagerGateway.class,
                leader.address(),
                Optional.of(leader.token()),
                worker.mailbox());
    // From here on, before the report is acknowledged, the ResourceManager may allocate slots of
    // this instance.
    registered = Optional.of(new Registered(attempt, longLived, success.instance()));
    worker.blobs().fetchFrom(success.blobs());
    return gateway.reportSlots(new ReportSlots(worker.id(), success.instance(), slots.get()));
  }

  /** A missing plugin is permanent; a receiver that failed may succeed later. */
  private Answer<TaskManagerRegistered, Reason> withoutTokens(Throwable failure) {
    if (failure instanceof MillraceException known && known.kind() == ErrorKind.USER) {
      worker.fatal().accept(failure);
    }
    return new Answer.Refused<>(ErrorReason.of(failure));
  }

  @Override
  public void leaderFound(Leader leader) {
    if (!lastLeader.equals(Optional.of(leader))) {
      startDeadline();
    }
    lastLeader = Optional.of(leader);
  }

  @Override
  public void connected(Leader leader, TaskManagerRegistered success) {
    deadline.cancel();
    LOG.info(
        "Worker {} registered at ResourceManager {} as instance {}",
        worker.id(),
        leader.address(),
        success.instance());
    worker.record(new RegisteredWithSlots(leader.address(), worker.settings().slots()));
  }

  @Override
  public void disconnected(Leader leader, ConnectionLoss loss) {
    lost(PeerReason.ofLeader(loss));
  }

  private void lost(Reason reason) {
    LOG.info("Worker {} lost the ResourceManager: {}", worker.id(), ReasonText.of(reason));
    worker.record(new ResourceManagerDisconnected(reason));
    startDeadline();
  }

  @Override
  public void refused(Leader leader, Reason reason) {
    LOG.info(
        "ResourceManager {} refuses worker {} for the moment: {}",
        leader.address(),
        worker.id(),
        ReasonText.of(reason));
  }

  @Override
  public void rejected(Leader leader, Reason reason) {
    worker
        .fatal()
        .accept(
            new ReasonException(
                ErrorKind.RESOURCE,
                new RegistrationRejected(worker.id(), leader.address(), reason)));
  }

  private void startDeadline() {
    deadline.cancel();
    Duration timeout = worker.settings().registrationTimeout();
    if (!timeout.isNegative() && !timeout.isZero()) {
      deadline = worker.mailbox().after(timeout, () -> registrationTimedOut(timeout));
    }
  }

  private void registrationTimedOut(Duration timeout) {
    worker
        .fatal()
        .accept(
            new ReasonException(
                ErrorKind.EXTERNAL,
                new ResourceManagerNotFound(
                    worker.id(),
                    timeout,
                    lastLeader.map(Leader::address),
                    worker.leaders().toString())));
  }
}
