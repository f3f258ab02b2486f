package io.millrace.control.testing;

import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.AcknowledgeCheckpoint;
import io.millrace.protocol.JobMasterGateway.CollectedPart;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.JobMasterGateway.KeptTask;
import io.millrace.protocol.JobMasterGateway.KeptTasks;
import io.millrace.protocol.JobMasterGateway.OfferReply;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.testing.TaskManagerStub;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Simulates tasks by their updates. Contacts the leader of the job only when the test calls it. */
public final class FakeTaskManager extends Endpoint implements TaskManagerStub {
  public final List<TriggerCheckpoint> triggers = new ArrayList<>();
  public final List<Long> completed = new ArrayList<>();
  public final List<Long> aborted = new ArrayList<>();
  public final List<DeployTasks> deployments = new ArrayList<>();
  public final List<FreeSlot> freed = new ArrayList<>();
  private final List<AllocationId> slots = new ArrayList<>();
  public final List<JobMasterDrops> dropped = new ArrayList<>();
  public final List<KeepPartitions> keeps = new ArrayList<>();
  public final List<AdoptTasks> adoptions = new ArrayList<>();
  public boolean answersKeeps = true;
  public final Map<ExecutionId, TaskInSlot> tasks = new LinkedHashMap<>();

  /** Those of its tasks that have lost their leader. */
  private final Set<ExecutionId> kept = new LinkedHashSet<>();

  public boolean obeysCancellations = true;
  public boolean refusesDeployments;
  public boolean delaysDeployments;

  /** Whether it answers deployments; it accepts them in any case. */
  public boolean answersDeployments = true;

  /** Whether it answers notices about the outcomes of checkpoints. */
  public boolean answersOutcomes = true;

  public boolean silent;
  private final WorkerId worker;
  private final long incarnation;
  private final LeaderRetrieval leaders;
  private long nextSlot;
  private Optional<Leader> jobLeader = Optional.empty();

  public FakeTaskManager(Rpc rpc, String name, long incarnation, LeaderRetrieval leaders) {
    super(rpc, "taskmanager", Optional.empty());
    this.worker = new WorkerId(name);
    this.incarnation = incarnation;
    this.leaders = leaders;
    this.nextSlot = name.hashCode() * 1000L + incarnation * 100;
  }

  public void follow(JobId job) {
    leaders.follow(ComponentNames.jobMaster(job), mailbox, leader -> jobLeader = leader);
  }

  public WorkerId worker() {
    return worker;
  }

  public Optional<Leader> jobLeader() {
    return jobLeader;
  }

  public CompletableFuture<WorkerReply> register(JobId job) {
    CompletableFuture<WorkerReply> reply = new CompletableFuture<>();
    mailbox.post(
        () ->
            jobMaster()
                .registerWorker(
                    new RegisterAtJobMaster(job, worker, incarnation, address(), worker + ":1"))
                .whenComplete(
                    (answer, failure) -> {
                      if (failure == null) {
                        reply.complete(answer);
                      } else {
                        reply.completeExceptionally(failure);
                      }
                    }));
    return reply;
  }

  public CompletableFuture<OfferReply> offer(int count) {
    List<AllocationId> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      added.add(new AllocationId(new Id128(4, nextSlot++)));
    }
    slots.addAll(added);
    return offer(added);
  }

  /** Offers the slots that it has, as after a change of the leader. */
  public CompletableFuture<OfferReply> offerAgain() {
    return offer(List.copyOf(slots));
  }

  private CompletableFuture<OfferReply> offer(List<AllocationId> allocations) {
    CompletableFuture<OfferReply> reply = new CompletableFuture<>();
    List<SlotOffer> offers =
        allocations.stream().map(slot -> new SlotOffer(slot, ResourceProfile.UNSPECIFIED)).toList();
    mailbox.post(
        () ->
            jobMaster()
                .offerSlots(new OfferSlots(worker, incarnation, offers))
                .thenAccept(reply::complete));
    return reply;
  }

  /** Updates all its tasks to the state, in one message. */
  public void all(TaskState state) {
    mailbox.post(
        () -> {
          List<TaskUpdate> updates = new ArrayList<>();
          tasks
              .keySet()
              .forEach(
                  id ->
                      updates.add(
                          state == TaskState.FAILED
                              ? TaskUpdate.failed(id, Failure.of(ErrorKind.USER, "broken"))
                              : TaskUpdate.of(id, state)));
          if (state.isTerminal()) {
            tasks.clear();
          }
          jobMaster().updateTasks(new TaskUpdates(worker, updates));
        });
  }

  public CompletableFuture<Acknowledge> collect(ExecutionId execution, String name, Bytes records) {
    CompletableFuture<Acknowledge> done = new CompletableFuture<>();
    mailbox.post(
        () ->
            jobMaster()
                .collect(new CollectedPart(execution, name, records, 1))
                .thenAccept(done::complete));
    return done;
  }

  /** Sends the snapshots of its tasks for a checkpoint. */
  public void acknowledge(long checkpoint, List<TaskSnapshot> snapshots) {
    mailbox.post(
        () ->
            jobMaster()
                .acknowledgeCheckpoint(new AcknowledgeCheckpoint(worker, checkpoint, snapshots)));
  }

  /** Reports that a task could not store its state. */
  public void decline(long checkpoint, ExecutionId execution, String message) {
    mailbox.post(
        () ->
            jobMaster()
                .declineCheckpoint(
                    new DeclineCheckpoint(
                        worker,
                        checkpoint,
                        execution,
                        new DeclineCause.SnapshotNotStored(
                            Failure.of(ErrorKind.EXTERNAL, message)))));
  }

  private JobMasterGateway jobMaster() {
    Leader leader = jobLeader.orElseThrow();
    return rpc.gateway(
        JobMasterGateway.class, leader.address(), Optional.of(leader.token()), mailbox);
  }

  @Override
  public CompletableFuture<SlotReply> requestSlot(RequestSlot request) {
    return CompletableFuture.completedFuture(SlotReply.allocated());
  }

  @Override
  public CompletableFuture<Acknowledge> freeSlot(FreeSlot request) {
    freed.add(request);
    slots.remove(request.allocation());
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> deployTasks(DeployTasks deployment) {
    deployments.add(deployment);
    if (refusesDeployments) {
      throw new IllegalStateException("no such slot");
    }
    if (delaysDeployments) {
      return new CompletableFuture<>();
    }
    deployment.tasks().forEach(task -> tasks.put(task.task().execution(), task));
    return answersDeployments
        ? CompletableFuture.completedFuture(Acknowledge.INSTANCE)
        : new CompletableFuture<>();
  }

  @Override
  public CompletableFuture<Acknowledge> triggerCheckpoint(TriggerCheckpoint request) {
    triggers.add(request);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> checkpointCompleted(CheckpointCompleted notice) {
    completed.add(notice.checkpoint());
    return outcomeAnswer();
  }

  private CompletableFuture<Acknowledge> outcomeAnswer() {
    return answersOutcomes
        ? CompletableFuture.completedFuture(Acknowledge.INSTANCE)
        : new CompletableFuture<>();
  }

  @Override
  public CompletableFuture<Acknowledge> checkpointAborted(CheckpointAborted notice) {
    aborted.add(notice.checkpoint());
    return outcomeAnswer();
  }

  /** Reports that all its tasks run without a leader. */
  public void reportKept() {
    mailbox.post(
        () ->
            jobMaster()
                .reportKeptTasks(
                    new KeptTasks(
                        worker,
                        incarnation,
                        tasks.values().stream()
                            .map(
                                task ->
                                    new KeptTask(
                                        task.task().execution(), task.slot(), TaskState.RUNNING))
                            .toList())));
  }

  @Override
  public CompletableFuture<Acknowledge> adoptTasks(AdoptTasks request) {
    adoptions.add(request);
    tasks.keySet().retainAll(request.executions());
    kept.clear();
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> cancelTasks(CancelTasks request) {
    if (obeysCancellations) {
      List<TaskUpdate> updates = new ArrayList<>();
      for (ExecutionId id : request.executions()) {
        if (tasks.remove(id) != null) {
          updates.add(TaskUpdate.of(id, TaskState.CANCELED));
        }
      }
      jobMaster().updateTasks(new TaskUpdates(worker, updates));
    }
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<WorkerReport> heartbeatFromResourceManager(AskWorker question) {
    throw new UnsupportedOperationException("No ResourceManager is registered here");
  }

  @Override
  public CompletableFuture<TaskReport> heartbeatFromJobMaster(AskTasks question) {
    return silent
        ? new CompletableFuture<>()
        : CompletableFuture.completedFuture(
            new TaskReport(
                slots,
                tasks.keySet().stream().filter(task -> !kept.contains(task)).toList(),
                List.of()));
  }

  @Override
  public void jobEnded(JobEnded notice) {}

  @Override
  public void disconnectResourceManager(ResourceManagerDrops notice) {}

  @Override
  public void disconnectJobMaster(JobMasterDrops notice) {
    dropped.add(notice);
    kept.addAll(tasks.keySet());
  }

  @Override
  public CompletableFuture<Acknowledge> keepPartitions(KeepPartitions request) {
    keeps.add(request);
    return answersKeeps
        ? CompletableFuture.completedFuture(Acknowledge.INSTANCE)
        : new CompletableFuture<>();
  }
}
