package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.registration.RegistrationReply;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** Runs one job: holds its slots, deploys its tasks and reacts to their ends. Fenced. */
public interface JobMasterGateway extends Gateway {

  /** Registers a TaskManager that holds slots for this job. Idempotent for the same process. */
  CompletableFuture<WorkerReply> registerWorker(RegisterAtJobMaster request);

  /**
   * Offers the slots that the ResourceManager has allocated to this job. A repeated offer is
   * accepted again.
   */
  CompletableFuture<OfferReply> offerSlots(OfferSlots offer);

  /**
   * Reports the tasks of an earlier leader that a TaskManager has kept, to a leader whose {@link
   * WorkerRegistered} asks for it. The leader answers with {@code AdoptTasks}. Repeated until it is
   * acknowledged; the last report counts.
   */
  CompletableFuture<Acknowledge> reportKeptTasks(KeptTasks report);

  /** Reports state changes of tasks, in the order in which they happened. */
  CompletableFuture<Acknowledge> updateTasks(TaskUpdates updates);

  /** Records for the client; acknowledged when there is room for more. */
  CompletableFuture<Acknowledge> collect(CollectedPart part);

  /**
   * The snapshots of all tasks of a TaskManager that take part in a checkpoint; in parts where they
   * are too large for one message.
   */
  CompletableFuture<Acknowledge> acknowledgeCheckpoint(AcknowledgeCheckpoint snapshots);

  /**
   * A task takes no part in a checkpoint. Acknowledged, so that a lost one is repeated: without it
   * the checkpoint would be pending until it expires.
   */
  CompletableFuture<Acknowledge> declineCheckpoint(DeclineCheckpoint notice);

  /** A source begins or ends to process backlog. */
  void backlogChanged(BacklogNotice notice);

  /** A task of a source reports its watermark; the answer has the lowest one of its group. */
  CompletableFuture<GroupWatermark> alignWatermark(WatermarkReport report);

  /** A TaskManager no longer holds a slot of this job. */
  void slotLost(SlotLost notice);

  /** A TaskManager ends its registration. */
  void disconnectWorker(WorkerLeaves notice);

  /** The ResourceManager has ended the registration of this job. */
  void disconnectResourceManager(ResourceManagerForgets notice);

  CompletableFuture<JobMasterReport> heartbeatFromResourceManager(AskJobMaster question);

  /**
   * Why requirements are not met, or that they are met now. The ResourceManager sends this on each
   * change.
   */
  void requirementsPending(RequirementsPending notice);

  /** The requirements cannot be met: the job fails with the reason. */
  void requirementsFailed(RequirementsFailed notice);

  /** The details of the job. Called by the Dispatcher. */
  CompletableFuture<JobDetails> describe(DescribeExecution request);

  /** The overview of the job. Called by the Dispatcher. */
  CompletableFuture<JobOverview> overview(OverviewExecution request);

  /** See {@link DispatcherGateway#readJobMetrics}. Called by the Dispatcher. */
  CompletableFuture<DispatcherGateway.JobMetrics> readMetrics(ReadMetrics request);

  /** Starts the cancellation of the job. Idempotent. Called by the Dispatcher. */
  CompletableFuture<Acknowledge> cancel(CancelExecution request);

  /** See {@link DispatcherGateway#startCheckpoint}. Called by the Dispatcher. */
  CompletableFuture<Acknowledge> startCheckpoint(StartCheckpoint request);

  /** The checkpoints of the job, without subtasks. Called by the Dispatcher. */
  CompletableFuture<CheckpointStatistics> listCheckpoints(ListCheckpoints request);

  /** One checkpoint with its subtasks. Called by the Dispatcher. */
  CompletableFuture<DispatcherGateway.CheckpointAnswer> describeCheckpoint(
      DescribeCheckpoint request);

  /** See {@link DispatcherGateway#fetchCollected}. Called by the Dispatcher. */
  CompletableFuture<DispatcherGateway.CollectedPage> fetchCollected(FetchBatches request);

  /**
   * @param incarnation distinguishes processes of the same worker id; the later one wins
   */
  record RegisterAtJobMaster(
      JobId job, WorkerId worker, long incarnation, Address address, String dataAddress) {
    public RegisterAtJobMaster {
      Objects.requireNonNull(job);
      Objects.requireNonNull(worker);
      Objects.requireNonNull(address);
      Objects.requireNonNull(dataAddress);
    }
  }

  record WorkerReply(
      RegistrationStatus verdict, Optional<Reason> reason, Optional<WorkerRegistered> success)
      implements RegistrationReply<WorkerRegistered, Reason> {
    public WorkerReply {
      Objects.requireNonNull(verdict);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(success);
      if (verdict == RegistrationStatus.ACCEPTED ? success.isEmpty() : reason.isEmpty()) {
        throw new IllegalArgumentException(verdict + " without a success or a reason");
      }
    }
  }

  /**
   * @param keepsTasks whether the TaskManager keeps the tasks of this leader when it loses the
   *     leader, until their slots expire
   * @param adoptsTasks whether this leader waits for a report of the tasks that the TaskManager has
   *     kept; if not, the TaskManager cancels them
   */
  record WorkerRegistered(LeaderToken jobMaster, boolean keepsTasks, boolean adoptsTasks) {
    public WorkerRegistered {
      Objects.requireNonNull(jobMaster);
    }

    /** The tasks of this leader end with its loss. */
    public WorkerRegistered(LeaderToken jobMaster) {
      this(jobMaster, false, false);
    }
  }

  /**
   * All tasks of earlier leaders that a TaskManager has kept for a job.
   *
   * @param incarnation as in {@link RegisterAtJobMaster}
   */
  record KeptTasks(WorkerId worker, long incarnation, List<KeptTask> tasks) {
    public KeptTasks {
      Objects.requireNonNull(worker);
      tasks = OrderedCopies.list(tasks);
    }
  }

  /**
   * A task that runs without a leader, or has ended and may not be reported.
   *
   * @param slot in which it runs or ran
   */
  record KeptTask(ExecutionId execution, AllocationId slot, TaskState state) {
    public KeptTask {
      Objects.requireNonNull(execution);
      Objects.requireNonNull(slot);
      Objects.requireNonNull(state);
    }
  }

  record OfferSlots(WorkerId worker, long incarnation, List<SlotOffer> offers) {
    public OfferSlots {
      Objects.requireNonNull(worker);
      offers = OrderedCopies.list(offers);
    }
  }

  record SlotOffer(AllocationId allocation, ResourceProfile profile) {
    public SlotOffer {
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(profile);
    }
  }

  /**
   * @param registered whether the TaskManager is registered; if not, it registers and offers again
   */
  record OfferReply(boolean registered, List<AllocationId> accepted) {
    public OfferReply {
      accepted = OrderedCopies.list(accepted);
    }
  }

  record TaskUpdates(WorkerId worker, List<TaskUpdate> updates) {
    public TaskUpdates {
      Objects.requireNonNull(worker);
      updates = OrderedCopies.list(updates);
    }
  }

  /**
   * @param counters the last counters of an ended task, if the task host counts
   * @param notice what the update means for checkpoints, if anything
   */
  record TaskUpdate(
      ExecutionId execution,
      TaskState state,
      Optional<Failure> failure,
      Optional<TaskCounters> counters,
      Optional<CheckpointNotice> notice) {
    public TaskUpdate {
      Objects.requireNonNull(execution);
      Objects.requireNonNull(state);
      Objects.requireNonNull(failure);
      Objects.requireNonNull(counters);
      Objects.requireNonNull(notice);
    }

    public TaskUpdate(ExecutionId execution, TaskState state, Optional<Failure> failure) {
      this(execution, state, failure, Optional.empty(), Optional.empty());
    }

    /** An update without a failure. */
    public static TaskUpdate of(ExecutionId execution, TaskState state) {
      return new TaskUpdate(execution, state, Optional.empty());
    }

    public static TaskUpdate failed(ExecutionId execution, Failure failure) {
      return new TaskUpdate(execution, TaskState.FAILED, Optional.of(failure));
    }

    public TaskUpdate with(TaskCounters last) {
      return new TaskUpdate(execution, state, failure, Optional.of(last), notice);
    }

    /** The checkpoint whose state the task could not use, if it failed for that. */
    public OptionalLong unusableCheckpoint() {
      return notice.isPresent()
              && notice.get() instanceof CheckpointNotice.RestoredStateUnusable unusable
          ? OptionalLong.of(unusable.checkpoint())
          : OptionalLong.empty();
    }

    /** Whether the task has ended its input and awaits a checkpoint. */
    public boolean awaitsCheckpoint() {
      return notice.isPresent() && notice.get() instanceof CheckpointNotice.AwaitsCheckpoint;
    }

    public TaskUpdate with(CheckpointNotice added) {
      return new TaskUpdate(execution, state, failure, counters, Optional.of(added));
    }
  }

  /** What the update of a task means for checkpoints. */
  sealed interface CheckpointNotice {
    /**
     * A running task has ended its input and finishes when a checkpoint that begins after this
     * notice is complete. It sends another one after a completed checkpoint that was not enough.
     */
    record AwaitsCheckpoint() implements CheckpointNotice {}

    /**
     * A task has failed because it cannot use the state that it was deployed with.
     *
     * @param checkpoint the checkpoint of this state
     */
    record RestoredStateUnusable(long checkpoint) implements CheckpointNotice {}
  }

  record CollectedPart(ExecutionId execution, String name, Bytes records, int count) {
    public CollectedPart {
      Objects.requireNonNull(execution);
      Objects.requireNonNull(name);
      Objects.requireNonNull(records);
    }
  }

  record AcknowledgeCheckpoint(WorkerId worker, long checkpoint, List<TaskSnapshot> snapshots) {
    public AcknowledgeCheckpoint {
      Objects.requireNonNull(worker);
      snapshots = OrderedCopies.list(snapshots);
    }
  }

  record DeclineCheckpoint(
      WorkerId worker, long checkpoint, ExecutionId execution, DeclineCause cause) {
    public DeclineCheckpoint {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(execution);
      Objects.requireNonNull(cause);
    }
  }

  record BacklogNotice(WorkerId worker, ExecutionId execution, boolean backlog) {
    public BacklogNotice {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(execution);
    }
  }

  record WatermarkReport(WorkerId worker, ExecutionId execution, String group, long watermark) {
    public WatermarkReport {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(execution);
      Objects.requireNonNull(group);
    }
  }

  /** The lowest watermark of an alignment group. */
  record GroupWatermark(long watermark) {}

  record SlotLost(WorkerId worker, AllocationId allocation, Reason reason) {
    public SlotLost {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(reason);
    }
  }

  record WorkerLeaves(WorkerId worker, Reason reason) {
    public WorkerLeaves {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(reason);
    }
  }

  record ResourceManagerForgets(LeaderToken resourceManager, Reason reason) {
    public ResourceManagerForgets {
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(reason);
    }
  }

  record AskJobMaster(LeaderToken resourceManager) {
    public AskJobMaster {
      Objects.requireNonNull(resourceManager);
    }
  }

  /**
   * @param tasks all tasks of the job
   * @param running those that run
   * @param finished those that have finished
   */
  record JobMasterReport(int tasks, int running, int finished) {}

  /**
   * @param missing the number of missing slots; 0 clears the reason
   * @param reason what was requested of which component, and what would help; empty if no slots are
   *     missing
   */
  record RequirementsPending(LeaderToken resourceManager, int missing, Optional<Reason> reason) {
    public RequirementsPending {
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(reason);
    }
  }

  record RequirementsFailed(LeaderToken resourceManager, Reason reason) {
    public RequirementsFailed {
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(reason);
    }
  }

  record DescribeExecution() {}

  record OverviewExecution() {}

  record ReadMetrics(VertexId vertex) {
    public ReadMetrics {
      Objects.requireNonNull(vertex);
    }
  }

  /**
   * @param directory of a savepoint; empty for the configured one
   */
  record StartCheckpoint(Id128 operation, CheckpointRequest.Type type, Optional<String> directory) {
    public StartCheckpoint {
      Objects.requireNonNull(operation);
      Objects.requireNonNull(type);
      Objects.requireNonNull(directory);
    }
  }

  record ListCheckpoints() {}

  record DescribeCheckpoint(long number) {}

  /**
   * @param cause why the job is cancelled; empty if the user cancels it
   */
  record CancelExecution(Optional<Failure> cause) {
    public CancelExecution {
      Objects.requireNonNull(cause);
    }
  }

  /**
   * @param next number of the first requested batch; earlier batches are acknowledged and dropped
   */
  record FetchBatches(String name, long next, Duration patience) {
    public FetchBatches {
      Objects.requireNonNull(name);
      Objects.requireNonNull(patience);
    }
  }
}
