package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.LeaderToken;
import io.millrace.task.ClusterPartition;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskSpec;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Runs tasks in slots. The endpoint itself has no leader; each message carries the token of the
 * leader that sends it, and the TaskManager refuses those it does not follow.
 */
public interface TaskManagerGateway extends Gateway {

  /** The ResourceManager gives a slot to a job. The same request again is fine. */
  CompletableFuture<SlotReply> requestSlot(RequestSlot request);

  /** A JobMaster returns a slot; tasks still in it are cancelled. */
  CompletableFuture<Acknowledge> freeSlot(FreeSlot request);

  /**
   * Starts all tasks of a pipelined region that run here. Fails as a whole where a slot is not
   * allocated to the job; a task that cannot be started is reported by {@code TaskUpdates}.
   */
  CompletableFuture<Acknowledge> deployTasks(DeployTasks deployment);

  /** Ends tasks; each is reported when it has ended. Unknown ones are ignored. */
  CompletableFuture<Acknowledge> cancelTasks(CancelTasks request);

  /**
   * Takes a checkpoint of tasks. Acknowledged when the barriers are on their way; their snapshots
   * follow in one {@code AcknowledgeCheckpoint}.
   */
  CompletableFuture<Acknowledge> triggerCheckpoint(TriggerCheckpoint request);

  /** A checkpoint is complete. One that is lost is made up for by the next one. */
  void checkpointCompleted(CheckpointCompleted notice);

  /** A checkpoint will not complete. */
  void checkpointAborted(CheckpointAborted notice);

  /**
   * A job has finished: what these of its tasks have left is kept for later jobs. Acknowledged when
   * the ResourceManager knows of it, as far as there is one.
   */
  CompletableFuture<Acknowledge> keepPartitions(KeepPartitions request);

  /** The ResourceManager wants kept partitions deleted. Unknown ones are ignored. */
  CompletableFuture<Acknowledge> releasePartitions(ReleasePartitions request);

  CompletableFuture<WorkerReport> heartbeatFromResourceManager(AskWorker question);

  CompletableFuture<TaskReport> heartbeatFromJobMaster(AskTasks question);

  /** The ResourceManager knows that a job has ended: its slots here are freed at once. */
  void jobEnded(JobEnded notice);

  /** The ResourceManager has fresh delegation tokens; acknowledged when they are in use here. */
  CompletableFuture<Acknowledge> updateTokens(UpdateTokens update);

  /** The ResourceManager no longer knows this worker, which may register anew or has to end. */
  void disconnectResourceManager(ResourceManagerDrops notice);

  /** The JobMaster no longer wants this worker. */
  void disconnectJobMaster(JobMasterDrops notice);

  /**
   * @param slot which of the worker's equal slots; nothing where a slot of the profile is to be
   *     carved from what the worker has left
   */
  record RequestSlot(
      LeaderToken resourceManager,
      InstanceId instance,
      Optional<Integer> slot,
      JobId job,
      AllocationId allocation,
      ResourceProfile profile) {
    public RequestSlot {
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(slot);
      Objects.requireNonNull(job);
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(profile);
    }
  }

  /**
   * @param registered false where the worker is not registered as the request says, or not any
   *     more: it has given up that registration, and comes with another one
   * @param occupant who has the slot, where that is why it was refused
   */
  record SlotReply(
      boolean granted, boolean registered, Optional<Reason> reason, Optional<Occupant> occupant) {
    /** Of a worker that is registered. */
    public SlotReply(boolean granted, Optional<Reason> reason, Optional<Occupant> occupant) {
      this(granted, true, reason, occupant);
    }

    public static SlotReply unregistered(Reason reason) {
      return new SlotReply(false, false, Optional.of(reason), Optional.empty());
    }

    public SlotReply {
      Objects.requireNonNull(reason);
      Objects.requireNonNull(occupant);
    }
  }

  record FreeSlot(JobId job, LeaderToken jobMaster, AllocationId allocation, Reason reason) {
    public FreeSlot {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * @param graph the encoded JobGraph, fetched as a blob once a job
   * @param number see {@link io.millrace.task.Deployment#number()}
   * @param placement where the tasks and those they talk to run; no two of these tables have the
   *     same subtask
   * @param restore the checkpoint whose state the tasks start with; empty if they start without
   */
  record DeployTasks(
      JobId job,
      LeaderToken jobMaster,
      BlobKey graph,
      long number,
      List<TaskInSlot> tasks,
      List<PlacementTable> placement,
      Optional<RestoredCheckpoint> restore) {
    public DeployTasks {
      Objects.requireNonNull(restore);
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
      Objects.requireNonNull(graph);
      tasks = OrderedCopies.list(tasks);
      placement = OrderedCopies.list(placement);
    }
  }

  record TaskInSlot(TaskSpec task, AllocationId slot) {
    public TaskInSlot {
      Objects.requireNonNull(task);
      Objects.requireNonNull(slot);
    }
  }

  /**
   * A checkpoint whose state tasks start with. The TaskManager reads its metadata.
   *
   * @param directory the directory with its metadata
   * @param sharedDirectory the directory of files that several checkpoints of its job refer to
   */
  record RestoredCheckpoint(long number, String directory, String sharedDirectory) {
    public RestoredCheckpoint {
      Objects.requireNonNull(directory);
      Objects.requireNonNull(sharedDirectory);
    }
  }

  /**
   * @param tasks the tasks of this TaskManager that take part
   * @param sources those of them at which barriers start
   */
  record TriggerCheckpoint(
      JobId job,
      LeaderToken jobMaster,
      CheckpointRequest request,
      List<ExecutionId> tasks,
      List<ExecutionId> sources) {
    public TriggerCheckpoint {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
      Objects.requireNonNull(request);
      tasks = OrderedCopies.list(tasks);
      sources = OrderedCopies.list(sources);
    }
  }

  record CheckpointCompleted(JobId job, LeaderToken jobMaster, long checkpoint) {
    public CheckpointCompleted {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
    }
  }

  record CheckpointAborted(JobId job, LeaderToken jobMaster, long checkpoint) {
    public CheckpointAborted {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
    }
  }

  record CancelTasks(JobId job, LeaderToken jobMaster, List<ExecutionId> executions) {
    public CancelTasks {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
      executions = OrderedCopies.list(executions);
    }
  }

  record KeepPartitions(JobId job, LeaderToken jobMaster, List<ExecutionId> executions) {
    public KeepPartitions {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
      executions = OrderedCopies.list(executions);
    }
  }

  record ReleasePartitions(
      LeaderToken resourceManager, InstanceId instance, List<ClusterPartition> partitions) {
    public ReleasePartitions {
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(instance);
      partitions = OrderedCopies.list(partitions);
    }
  }

  record AskWorker(LeaderToken resourceManager, InstanceId instance) {
    public AskWorker {
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(instance);
    }
  }

  record WorkerReport(SlotReport slots, PartitionReport partitions, ProcessMetrics metrics) {
    public WorkerReport {
      Objects.requireNonNull(slots);
      Objects.requireNonNull(partitions);
      Objects.requireNonNull(metrics);
    }
  }

  record AskTasks(JobId job, LeaderToken jobMaster) {
    public AskTasks {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
    }
  }

  /**
   * What a TaskManager has of one job.
   *
   * @param executions every execution that was deployed here and has not been reported as ended
   */
  record TaskReport(
      List<AllocationId> slots, List<ExecutionId> executions, List<TaskCounters> counters) {
    public TaskReport {
      slots = OrderedCopies.list(slots);
      executions = OrderedCopies.list(executions);
      counters = OrderedCopies.list(counters);
    }
  }

  record JobEnded(LeaderToken resourceManager, InstanceId instance, JobId job) {
    public JobEnded {
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(job);
    }
  }

  record UpdateTokens(LeaderToken resourceManager, InstanceId instance, List<IssuedToken> tokens) {
    public UpdateTokens {
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(instance);
      tokens = OrderedCopies.list(tokens);
    }
  }

  /**
   * @param forGood whether the worker is counted out: its driver takes it for gone, it is replaced,
   *     and its process is to end
   */
  record ResourceManagerDrops(
      LeaderToken resourceManager, InstanceId instance, boolean forGood, Reason reason) {
    public ResourceManagerDrops {
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * @param ended whether the job has ended for good: its slots here are freed at once
   */
  record JobMasterDrops(JobId job, LeaderToken jobMaster, boolean ended, Reason reason) {
    public JobMasterDrops {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
      Objects.requireNonNull(reason);
    }
  }
}
