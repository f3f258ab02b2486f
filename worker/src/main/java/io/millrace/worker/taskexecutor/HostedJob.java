package io.millrace.worker.taskexecutor;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.KeptTasks;
import io.millrace.protocol.JobMasterGateway.OfferReply;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.SlotLost;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobMasterGateway.WorkerLeaves;
import io.millrace.protocol.JobMasterGateway.WorkerRegistered;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointAborted;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.KeepPartitions;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.TaskManagerGateway.TaskMetricsReport;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.journal.TaskExecutorEvent;
import io.millrace.protocol.journal.TaskExecutorEvent.JobMasterDisconnected;
import io.millrace.protocol.journal.TaskExecutorEvent.JobRemoved;
import io.millrace.protocol.journal.TaskExecutorEvent.KeptTasksAdopted;
import io.millrace.protocol.journal.TaskExecutorEvent.RegisteredAtJobMaster;
import io.millrace.protocol.journal.TaskExecutorEvent.SlotOffersAnswered;
import io.millrace.protocol.journal.TaskExecutorEvent.TasksKept;
import io.millrace.protocol.journal.TaskExecutorEvent.TasksReceived;
import io.millrace.protocol.reason.JobReason.JobMasterStops;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.PeerReason.DroppedByPeer;
import io.millrace.protocol.reason.PeerReason.GaveUpLeader;
import io.millrace.protocol.reason.PeerReason.NoSlotLeft;
import io.millrace.protocol.reason.PeerReason.NotRegisteredAtPeer;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotNotAccepted;
import io.millrace.protocol.reason.SlotReason.SlotOfferTimeout;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.ConnectionLoss;
import io.millrace.rpc.registration.LeaderConnection;
import io.millrace.rpc.registration.RetryingRegistration.Answer;
import io.millrace.task.TaskCounters;
import io.millrace.worker.slots.SlotTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job on this worker, from its first slot to its last. Follows the leader of the job, registers
 * there, offers the slots and runs the tasks that the leader deploys. When the leader is lost, the
 * slots wait for the next leader until they expire. The tasks are cancelled, or run on in these
 * slots if the leader said so: the next one adopts or cancels them.
 */
final class HostedJob implements LeaderConnection.Follower<WorkerRegistered, Reason> {
  private static final Logger LOG = LoggerFactory.getLogger(HostedJob.class);
  private static final Duration RETRY_DELAY = Duration.ofMillis(200);

  /** Well below the message limit, because a heartbeat has more. */
  private static final int MAX_ACCUMULATOR_BYTES = 256 * 1024;

  private final TaskExecutorContext worker;
  private final JobId job;
  private final TimedSlotTable slots;
  private final ClusterPartitions partitions;
  private final Consumer<JobId> gone;
  private final JobTasks tasks;
  private final MetricsReader metrics;
  private final LeaderConnection<WorkerRegistered, Reason> connection;
  private Optional<LeaderToken> lastToken = Optional.empty();
  private Optional<JobMasterSession> session = Optional.empty();

  /** The last session, if it ended because no leader was known. */
  private Optional<JobMasterSession> lastSession = Optional.empty();

  private boolean offerPosted;
  private boolean closed;

  /**
   * @param gone called when the job has no slot, task or partition here
   */
  HostedJob(
      TaskExecutorContext worker,
      JobId job,
      TimedSlotTable slots,
      ClusterPartitions partitions,
      Consumer<JobId> gone) {
    this.worker = worker;
    this.job = job;
    this.slots = slots;
    this.partitions = partitions;
    this.gone = gone;
    this.metrics = new MetricsReader(worker, job);
    this.tasks = new JobTasks(worker, job, slots.table(), this::emptied);
    this.connection =
        new LeaderConnection<>(
            worker.rpc(),
            worker.mailbox(),
            worker.settings().configuration(),
            "Registration of worker " + worker.id() + " at JobMaster",
            this);
  }

  void start() {
    connection.start(listener -> worker.follow(ComponentNames.jobMaster(job), listener));
  }

  /** Offers slots at the end of this event, all in one message. */
  void offerSoon() {
    if (!offerPosted) {
      offerPosted = true;
      worker
          .mailbox()
          .post(
              () -> {
                offerPosted = false;
                session.ifPresent(this::offer);
              });
    }
  }

  CompletableFuture<Acknowledge> deploy(DeployTasks request) {
    JobMasterSession from = sessionOf(request.jobMaster());
    for (TaskInSlot task : request.tasks()) {
      if (!table().holds(job, task.slot())) {
        throw new MillraceException(
            ErrorKind.RESOURCE,
            "Slot "
                + task.slot()
                + " is not allocated to job "
                + job
                + " on worker "
                + worker.id()
                + "; none of the deployment's tasks was started.");
      }
      if (tasks.hasOthersIn(task.slot(), from)) {
        throw new MillraceException(
            ErrorKind.RESOURCE,
            "Tasks of an earlier leader's session are still ending in slot "
                + task.slot()
                + " of job "
                + job
                + " on worker "
                + worker.id()
                + "; the slot is offered again when they have ended. None of the deployment's tasks"
                + " was started.");
      }
    }
    // The answer to the offer may not have arrived, but the leader has accepted the slots.
    request.tasks().forEach(task -> table().activate(task.slot()));
    record(new TasksReceived(request.tasks().size()));
    return tasks.deploy(request, from);
  }

  CompletableFuture<Acknowledge> adopt(AdoptTasks request) {
    JobMasterSession from = sessionOf(request.jobMaster());
    int cancelled = tasks.adopt(request, from);
    record(new KeptTasksAdopted(request.executions().size(), cancelled));
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  void triggerCheckpoint(TriggerCheckpoint request) {
    tasks.triggerCheckpoint(request, sessionOf(request.jobMaster()));
  }

  void checkpointCompleted(CheckpointCompleted notice) {
    sessionOf(notice.jobMaster());
    tasks.checkpointCompleted(notice.checkpoint());
  }

  void checkpointAborted(CheckpointAborted notice) {
    sessionOf(notice.jobMaster());
    tasks.checkpointAborted(notice.checkpoint());
  }

  private boolean isFollowed(LeaderToken jobMaster) {
    return session.isPresent() && session.get().leader().token().equals(jobMaster);
  }

  void cancel(CancelTasks request) {
    sessionOf(request.jobMaster());
    tasks.cancel(request.executions());
  }

  /** The job has finished. */
  CompletableFuture<Acknowledge> keep(KeepPartitions request) {
    sessionOf(request.jobMaster());
    return partitions.keep(job, request.jobMaster().term(), request.executions());
  }

  void free(FreeSlot request) {
    sessionOf(request.jobMaster());
    if (table().holds(job, request.allocation())) {
      release(request.allocation(), request.reason());
    }
  }

  TaskReport report(LeaderToken jobMaster) {
    JobMasterSession from = sessionOf(jobMaster);
    connection.heard();
    return new TaskReport(
        table().heldBy(job), tasks.executionsOf(from), withinBound(worker.host().counters(job)));
  }

  /** The metrics of the job's tasks. */
  CompletableFuture<TaskMetricsReport> metrics(LeaderToken jobMaster) {
    sessionOf(jobMaster);
    return metrics.read();
  }

  /**
   * Leaves out accumulators that are too large for one message. Their values arrive with the end of
   * their tasks.
   */
  private static List<TaskCounters> withinBound(List<TaskCounters> counters) {
    List<TaskCounters> bounded = new ArrayList<>(counters.size());
    int bytes = 0;
    for (TaskCounters each : counters) {
      int size = each.accumulatorBytes();
      boolean fits = bytes + size <= MAX_ACCUMULATOR_BYTES;
      bytes += fits ? size : 0;
      bounded.add(fits || size == 0 ? each : each.with(new LinkedHashMap<>()));
    }
    return bounded;
  }

  void expired(AllocationId allocation) {
    session.ifPresent(
        current ->
            current
                .gateway()
                .slotLost(new SlotLost(worker.id(), allocation, new SlotOfferTimeout())));
    release(allocation, new SlotOfferTimeout());
  }

  void dropped(LeaderToken jobMaster, boolean ended, Reason reason) {
    if (ended && lastToken.equals(Optional.of(jobMaster))) {
      ended(reason);
    } else if (session.isPresent() && session.get().leader().token().equals(jobMaster)) {
      // A leader that stops has a successor; any other one takes the tasks for ended.
      lost(new DroppedByPeer(reason), reason instanceof JobMasterStops);
      connection.reconnect();
    }
  }

  /** No leader of the job will follow: its slots are freed at once. */
  void ended(Reason reason) {
    LOG.info(
        "Job {} has ended and is removed from worker {}: {}",
        job,
        worker.id(),
        ReasonText.of(reason));
    record(new JobRemoved(reason));
    connection.disconnect();
    endSession(false);
    table().heldBy(job).forEach(allocation -> release(allocation, reason));
  }

  /** Cancels tasks and frees the slots; {@code gone} is called when that is done. */
  void leave(Reason reason) {
    session.ifPresent(
        current -> current.gateway().disconnectWorker(new WorkerLeaves(worker.id(), reason)));
    connection.close();
    lost(reason, false);
    table().heldBy(job).forEach(allocation -> release(allocation, reason));
  }

  @Override
  public void leaderFound(Leader leader) {
    // The lookup of the leader may have failed while the leader was the same.
    lastSession
        .filter(before -> before.leader().equals(leader))
        .ifPresent(before -> notifySessionEnd(before, new ConnectionLoss.NoLeader()));
    lastSession = Optional.empty();
    lastToken = Optional.of(leader.token());
  }

  @Override
  public CompletableFuture<Answer<WorkerRegistered, Reason>> register(
      LeaderConnection.Attempt attempt) {
    Leader leader = attempt.leader();
    return worker
        .rpc()
        .gateway(
            JobMasterGateway.class,
            leader.address(),
            Optional.of(leader.token()),
            worker.mailbox(),
            attempt.timeout())
        .registerWorker(
            new RegisterAtJobMaster(
                job,
                worker.id(),
                worker.incarnation(),
                worker.address(),
                worker.host().dataAddress()))
        .thenApply(Answer::of);
  }

  @Override
  public void connected(Leader leader, WorkerRegistered success) {
    JobMasterSession next =
        new JobMasterSession(worker, leader, success.keepsTasks(), this::closeIfUnused);
    session = Optional.of(next);
    LOG.info("Worker {} registered at JobMaster {} of job {}", worker.id(), leader.address(), job);
    record(new RegisteredAtJobMaster(leader.address()));
    if (success.adoptsTasks()) {
      tasks.cancelKeptOf(leader.token());
      reportKept(next);
    } else {
      tasks.cancelKept();
    }
    offer(next);
  }

  /** Repeated until the leader has it or has decided. Slots with tasks do not expire meanwhile. */
  private void reportKept(JobMasterSession to) {
    if (!to.isOpen()) {
      return;
    }
    slots.extend(job);
    worker.then(
        to.gateway()
            .reportKeptTasks(new KeptTasks(worker.id(), worker.incarnation(), tasks.kept())),
        (done, failure) -> {
          if (failure != null) {
            LOG.info(
                "The report of the tasks of job {} that run without a leader is repeated: {}",
                job,
                Failure.sentence(Failure.unwrap(failure)));
            worker.mailbox().after(RETRY_DELAY, () -> reportKept(to));
          }
        });
  }

  @Override
  public void refused(Leader leader, Reason reason) {
    LOG.info(
        "JobMaster {} of job {} refuses worker {} for the moment: {}",
        leader.address(),
        job,
        worker.id(),
        ReasonText.of(reason));
  }

  @Override
  public void rejected(Leader leader, Reason reason) {
    LOG.warn(
        "JobMaster {} of job {} rejects worker {}: {}",
        leader.address(),
        job,
        worker.id(),
        ReasonText.of(reason));
  }

  @Override
  public void disconnected(Leader leader, ConnectionLoss loss) {
    JobMasterSession ended = session.orElseThrow();
    lost(PeerReason.ofLeader(loss), true);
    if (loss instanceof ConnectionLoss.NoLeader) {
      lastSession = Optional.of(ended);
    } else if (loss instanceof ConnectionLoss.HeartbeatTimeout
        || loss instanceof ConnectionLoss.ConnectionBroken) {
      notifySessionEnd(ended, loss);
    }
  }

  /**
   * The leader may still run and assume that its tasks run: it gets this notice before the next
   * registration.
   */
  private void notifySessionEnd(JobMasterSession ended, ConnectionLoss loss) {
    ended
        .gateway()
        .disconnectWorker(
            new WorkerLeaves(worker.id(), new GaveUpLeader(PeerReason.ofLeader(loss))));
  }

  /**
   * @param mayKeep whether the leader may have a successor that adopts its tasks
   */
  private void lost(Reason reason, boolean mayKeep) {
    if (session.isEmpty()) {
      return;
    }
    LOG.info("Worker {} lost the JobMaster of job {}: {}", worker.id(), job, ReasonText.of(reason));
    record(new JobMasterDisconnected(reason));
    endSession(mayKeep);
  }

  /**
   * The slots of the leader wait for the next one. Its tasks wait with them if it keeps tasks, and
   * end otherwise.
   */
  private void endSession(boolean mayKeep) {
    boolean keeps = mayKeep && session.isPresent() && session.get().keepsTasks();
    session.ifPresent(JobMasterSession::close);
    session = Optional.empty();
    slots.deactivate(job);
    if (keeps) {
      record(new TasksKept(tasks.keep()));
    } else {
      tasks.cancelAll();
    }
    closeIfUnused();
  }

  private void offer(JobMasterSession to) {
    if (to.offering()) {
      return;
    }
    // A task of an earlier leader may still be ending in a slot, which is not offered before.
    List<SlotOffer> offers =
        table().offersTo(job).stream().filter(slot -> tasks.isEmpty(slot.allocation())).toList();
    if (offers.isEmpty()) {
      return;
    }
    to.offering(true);
    worker.then(
        to.offers().offerSlots(new OfferSlots(worker.id(), worker.incarnation(), offers)),
        (reply, failure) -> {
          if (!to.isOpen()) {
            return;
          }
          to.offering(false);
          if (failure == null) {
            answered(to, offers, reply);
          } else if (RpcException.is(failure, RpcError.Code.TIMEOUT)) {
            offer(to);
          } else {
            LOG.info(
                "Offering {} slots to job {} failed and is retried: {}",
                offers.size(),
                job,
                Failure.sentence(Failure.unwrap(failure)));
            worker.mailbox().after(RETRY_DELAY, this::offerSoon);
          }
        });
  }

  private void answered(JobMasterSession to, List<SlotOffer> offers, OfferReply reply) {
    if (!reply.registered()) {
      lost(new NotRegisteredAtPeer(), false);
      connection.reconnect();
      return;
    }
    Set<AllocationId> accepted = new LinkedHashSet<>(reply.accepted());
    for (SlotOffer offer : offers) {
      AllocationId allocation = offer.allocation();
      if (accepted.contains(allocation)) {
        if (!table().activate(allocation)) {
          to.gateway().slotLost(new SlotLost(worker.id(), allocation, new SlotOfferTimeout()));
        }
      } else if (table().isAllocated(allocation)) {
        release(allocation, new SlotNotAccepted());
      }
    }
    LOG.info(
        "Job {} accepted {} of {} slots of worker {}",
        job,
        accepted.size(),
        offers.size(),
        worker.id());
    record(new SlotOffersAnswered(accepted.size(), offers.size()));
    offerSoon();
  }

  private void release(AllocationId allocation, Reason reason) {
    if (!table().release(allocation)) {
      return;
    }
    LOG.debug("Slot {} of job {} on {} -> RELEASING: {}", allocation, job, worker.id(), reason);
    tasks.cancelIn(allocation);
    if (table().isReleasing(allocation) && tasks.isEmpty(allocation)) {
      freed(allocation);
    }
  }

  private void emptied(AllocationId allocation) {
    if (table().isReleasing(allocation)) {
      freed(allocation);
    } else {
      offerSoon();
    }
  }

  private void freed(AllocationId allocation) {
    // Before the ResourceManager gets the free slot: a worker with partitions of a job is not idle.
    partitions.reportBeforeSlotIsFree(job);
    slots.free(allocation);
    LOG.debug("Slot {} of job {} on {} -> FREE", allocation, job, worker.id());
    closeIfUnused();
  }

  /**
   * Releases the code with the last slot. The leader is followed until it has acknowledged all
   * updates and decided whether the partitions of the job are kept.
   */
  private void closeIfUnused() {
    if (closed
        || !table().hasNothingOf(job)
        || (session.isPresent() && worker.host().hasResultsOf(job))) {
      return;
    }
    partitions.discard(job, tasks::releaseCode);
    if (session.isPresent() && !session.get().updates().isEmpty()) {
      return;
    }
    closed = true;
    connection.close();
    session.ifPresent(
        current -> {
          current.gateway().disconnectWorker(new WorkerLeaves(worker.id(), new NoSlotLeft()));
          current.close();
        });
    session = Optional.empty();
    LOG.info("Job {} is removed from worker {}", job, worker.id());
    gone.accept(job);
  }

  private JobMasterSession sessionOf(LeaderToken jobMaster) {
    if (isFollowed(jobMaster)) {
      return session.get();
    }
    throw new MillraceException(
        ErrorKind.EXTERNAL,
        "Worker "
            + worker.id()
            + " follows "
            + session.map(current -> "leader " + current.leader().token()).orElse("no leader")
            + " of job "
            + job
            + "; the call carries "
            + jobMaster
            + ".");
  }

  private SlotTable table() {
    return slots.table();
  }

  private void record(TaskExecutorEvent event) {
    worker.journal().accept(event.entry().forJob(job).onWorker(worker.id()));
  }
}
