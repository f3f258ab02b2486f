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
import io.millrace.task.TaskMetricReadings;
import io.millrace.task.TaskSpec;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Runs tasks in slots. The endpoint has no leader; each message carries the token of its sender,
 * and the TaskManager refuses messages of leaders that it does not follow.
 */
public interface TaskManagerGateway extends Gateway {

  /** Allocates a slot to a job. Idempotent. Called by the ResourceManager. */
  CompletableFuture<SlotReply> requestSlot(RequestSlot request);

  /** Returns a slot; tasks in it are cancelled. Called by a JobMaster. */
  CompletableFuture<Acknowledge> freeSlot(FreeSlot request);

  /**
   * Starts all tasks of a pipelined region that run here. Fails as a whole if a slot is not
   * allocated to the job; a task that cannot be started is reported by {@code TaskUpdates}.
   */
  CompletableFuture<Acknowledge> deployTasks(DeployTasks deployment);

  /**
   * Ends the time in which tasks of earlier leaders are kept: those that the new leader names are
   * its own from now on, the others are cancelled. Fails as a whole, and adopts none, if one of the
   * named tasks is not there; the others are cancelled also then. The states of adopted tasks
   * follow by {@code TaskUpdates}.
   */
  CompletableFuture<Acknowledge> adoptTasks(AdoptTasks request);

  /** Cancels tasks; each is reported when it has ended. Unknown tasks are ignored. */
  CompletableFuture<Acknowledge> cancelTasks(CancelTasks request);

  /**
   * Takes a checkpoint of tasks. Acknowledged when the barriers are on their way; their snapshots
   * follow in one {@code AcknowledgeCheckpoint}.
   */
  CompletableFuture<Acknowledge> triggerCheckpoint(TriggerCheckpoint request);

  /**
   * A checkpoint is complete. Idempotent: the JobMaster repeats it until it is acknowledged, so
   * that it may arrive after the notice of a later checkpoint.
   */
  CompletableFuture<Acknowledge> checkpointCompleted(CheckpointCompleted notice);

  /**
   * A checkpoint will not complete. Idempotent and repeated as {@link #checkpointCompleted}:
   * sources that a savepoint has stopped wait for it.
   */
  CompletableFuture<Acknowledge> checkpointAborted(CheckpointAborted notice);

  /**
   * Keeps the partitions of these tasks for later jobs: the job has finished. Acknowledged when the
   * ResourceManager has the new report, or if there is no ResourceManager.
   */
  CompletableFuture<Acknowledge> keepPartitions(KeepPartitions request);

  /** Deletes cluster partitions. Unknown ones are ignored. Called by the ResourceManager. */
  CompletableFuture<Acknowledge> releasePartitions(ReleasePartitions request);

  CompletableFuture<WorkerReport> heartbeatFromResourceManager(AskWorker question);

  CompletableFuture<TaskReport> heartbeatFromJobMaster(AskTasks question);

  /**
   * The metrics that functions and operators of a job's tasks have registered here, as far as they
   * fit into a message. Called by a JobMaster.
   */
  CompletableFuture<TaskMetricsReport> readTaskMetrics(ReadTaskMetrics question);

  /** A job has ended: its slots here are freed at once. Called by the ResourceManager. */
  void jobEnded(JobEnded notice);

  /** New delegation tokens; acknowledged when they are in use. Called by the ResourceManager. */
  CompletableFuture<Acknowledge> updateTokens(UpdateTokens update);

  /**
   * The ResourceManager has ended the registration of this worker, which registers again or ends.
   */
  void disconnectResourceManager(ResourceManagerDrops notice);

  /** The JobMaster has ended the registration of this worker. */
  void disconnectJobMaster(JobMasterDrops notice);

  /**
   * @param slot the index of an equal slot; empty to carve a slot of the profile from the free
   *     resources of the worker
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
   * @param registered false if the worker is not registered under the token and instance of the
   *     request
   * @param occupant the occupant of the slot, if it is why the request is refused
   */
  record SlotReply(
      boolean granted, boolean registered, Optional<Reason> reason, Optional<Occupant> occupant) {
    /** A slot that is allocated as requested. */
    public static SlotReply allocated() {
      return new SlotReply(true, true, Optional.empty(), Optional.empty());
    }

    public static SlotReply refused(Reason reason) {
      return new SlotReply(false, true, Optional.of(reason), Optional.empty());
    }

    public static SlotReply occupied(Reason reason, Occupant occupant) {
      return new SlotReply(false, true, Optional.of(reason), Optional.of(occupant));
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
   * @param graph the encoded JobGraph, fetched as a blob once per job
   * @param number see {@link io.millrace.task.Deployment#number()}
   * @param placement the placement of the tasks and of those they exchange records with; a subtask
   *     is in one table only
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

  /**
   * @param checkpoints what became of the checkpoints of earlier leaders
   */
  record AdoptTasks(
      JobId job,
      LeaderToken jobMaster,
      List<ExecutionId> executions,
      CheckpointOutcomes checkpoints) {
    public AdoptTasks {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
      executions = OrderedCopies.list(executions);
      Objects.requireNonNull(checkpoints);
    }
  }

  /**
   * The outcomes of all checkpoints so far. Those between the two numbers are aborted.
   *
   * @param completed the number of the last one that is complete; 0 for none
   * @param last the highest number that was used; 0 for none
   */
  record CheckpointOutcomes(long completed, long last) {
    public CheckpointOutcomes {
      if (completed < 0 || last < completed) {
        throw new IllegalArgumentException(
            "Checkpoint " + completed + " cannot be the last complete one of " + last);
      }
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
   * The slots and tasks of one job on a TaskManager.
   *
   * @param executions all executions that were deployed here and are not reported as ended
   */
  record TaskReport(
      List<AllocationId> slots, List<ExecutionId> executions, List<TaskCounters> counters) {
    public TaskReport {
      slots = OrderedCopies.list(slots);
      executions = OrderedCopies.list(executions);
      counters = OrderedCopies.list(counters);
    }
  }

  record ReadTaskMetrics(JobId job, LeaderToken jobMaster) {
    public ReadTaskMetrics {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
    }
  }

  /**
   * @param omitted the number of metrics that do not fit into the message
   */
  record TaskMetricsReport(List<TaskMetricReadings> tasks, int omitted) {
    public TaskMetricsReport {
      tasks = OrderedCopies.list(tasks);
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
   * @param forGood whether the driver has reported the worker as gone: it is replaced, and its
   *     process has to end
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
   * @param ended whether the job has ended: its slots here are freed at once
   */
  record JobMasterDrops(JobId job, LeaderToken jobMaster, boolean ended, Reason reason) {
    public JobMasterDrops {
      Objects.requireNonNull(job);
      Objects.requireNonNull(jobMaster);
      Objects.requireNonNull(reason);
    }
  }
}
