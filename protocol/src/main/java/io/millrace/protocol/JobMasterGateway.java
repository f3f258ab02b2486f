package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Runs one job: holds its slots, deploys its tasks and decides what happens when one ends. Fenced.
 */
public interface JobMasterGateway extends Gateway {

  /** A TaskManager that holds slots for this job. Repeating it for the same process is fine. */
  CompletableFuture<WorkerReply> registerWorker(RegisterAtJobMaster request);

  /** Slots the TaskManager was told to give to this job. An offer repeated is accepted again. */
  CompletableFuture<OfferReply> offerSlots(OfferSlots offer);

  /** What became of tasks, in the order it happened. */
  CompletableFuture<Acknowledge> updateTasks(TaskUpdates updates);

  /** Records for the client; acknowledged when there is room for more. */
  CompletableFuture<Acknowledge> collect(CollectedPart part);

  /**
   * The snapshots of all tasks of a TaskManager that take part in a checkpoint; in parts where they
   * are too large for one message.
   */
  CompletableFuture<Acknowledge> acknowledgeCheckpoint(AcknowledgeCheckpoint snapshots);

  /** A task cannot store its state for a checkpoint. */
  void declineCheckpoint(DeclineCheckpoint notice);

  /** A slot of this job is gone at its TaskManager. */
  void slotLost(SlotLost notice);

  /** A TaskManager leaves, by its own decision. */
  void disconnectWorker(WorkerLeaves notice);

  /** The ResourceManager no longer knows this job. */
  void disconnectResourceManager(ResourceManagerForgets notice);

  CompletableFuture<JobMasterReport> heartbeatFromResourceManager(AskJobMaster question);

  /**
   * Why requirements are not met yet, or that they now are. Sent by the ResourceManager at change.
   */
  void requirementsPending(RequirementsPending notice);

  /** Requirements that will not be met: the job fails with the reason. */
  void requirementsFailed(RequirementsFailed notice);

  /** Everything there is to say about the job now. For its Dispatcher. */
  CompletableFuture<JobDetails> describe(DescribeExecution request);

  /** One line about the job. For its Dispatcher. */
  CompletableFuture<JobOverview> overview(OverviewExecution request);

  /** Begins to cancel the job; it is fine to say so more than once. For its Dispatcher. */
  CompletableFuture<Acknowledge> cancel(CancelExecution request);

  /** See {@link DispatcherGateway#fetchCollected}. For its Dispatcher. */
  CompletableFuture<DispatcherGateway.CollectedPage> fetchCollected(FetchBatches request);

  /**
   * @param incarnation tells two processes of the same worker id apart; the later one wins
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
      RegistrationStatus verdict, Optional<Reason> reason, Optional<WorkerRegistered> success) {
    public WorkerReply {
      Objects.requireNonNull(verdict);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(success);
    }
  }

  record WorkerRegistered(LeaderToken jobMaster) {
    public WorkerRegistered {
      Objects.requireNonNull(jobMaster);
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
   * @param registered false where the TaskManager must register first and then offer again
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
   * @param counters what a task has done that has ended, where its host counts
   */
  record TaskUpdate(
      ExecutionId execution,
      TaskState state,
      Optional<Failure> failure,
      Optional<TaskCounters> counters) {
    public TaskUpdate {
      Objects.requireNonNull(execution);
      Objects.requireNonNull(state);
      Objects.requireNonNull(failure);
      Objects.requireNonNull(counters);
    }

    public TaskUpdate(ExecutionId execution, TaskState state, Optional<Failure> failure) {
      this(execution, state, failure, Optional.empty());
    }
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
      WorkerId worker, long checkpoint, ExecutionId execution, Failure failure) {
    public DeclineCheckpoint {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(execution);
      Objects.requireNonNull(failure);
    }
  }

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

  record JobMasterReport() {}

  /**
   * @param missing how many slots are missing; 0 clears the reason
   * @param reason what was asked of whom and what would help; nothing where none are missing
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

  /**
   * @param cause what makes the job end; nothing where the user wants it to
   */
  record CancelExecution(Optional<Failure> cause) {
    public CancelExecution {
      Objects.requireNonNull(cause);
    }
  }

  /**
   * @param next number of the first batch wanted; what is before it is acknowledged and dropped
   */
  record FetchBatches(String name, long next, Duration patience) {
    public FetchBatches {
      Objects.requireNonNull(name);
      Objects.requireNonNull(patience);
    }
  }
}
