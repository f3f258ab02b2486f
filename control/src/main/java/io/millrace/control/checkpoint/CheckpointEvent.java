package io.millrace.control.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.reason.Reason;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Events of a job's checkpoints. */
public sealed interface CheckpointEvent {
  /** All tasks of the job run or have finished, for the first time or after a fail-over. */
  record TasksRunning() implements CheckpointEvent {}

  /** Tasks are deployed with the state of a checkpoint, which they need until they run. */
  record Restoring(long checkpoint) implements CheckpointEvent {}

  /** Tasks could not use the state of a checkpoint that they were deployed with. */
  record StateUnusable(long checkpoint, String message) implements CheckpointEvent {
    public StateUnusable {
      Objects.requireNonNull(message);
    }
  }

  /** Tasks of the job failed or are being ended. Snapshots that have not arrived will not. */
  record TasksStopping() implements CheckpointEvent {}

  /**
   * A user requests a checkpoint or a savepoint.
   *
   * @param request identifies the request in the answer
   * @param directory the directory to write to; empty for that of the job's checkpoints
   */
  record Requested(long request, CheckpointRequest.Type type, Optional<String> directory)
      implements CheckpointEvent {
    public Requested {
      Objects.requireNonNull(type);
      Objects.requireNonNull(directory);
    }
  }

  /** The number of a checkpoint is reserved and its directory exists. */
  record Prepared(long checkpoint, String directory, String sharedDirectory, long wallMillis)
      implements CheckpointEvent {
    public Prepared {
      Objects.requireNonNull(directory);
      Objects.requireNonNull(sharedDirectory);
    }
  }

  /** A TaskManager has stored the state of all its tasks that take part. */
  record Acknowledged(WorkerId worker, long checkpoint, List<TaskSnapshot> snapshots)
      implements CheckpointEvent {
    public Acknowledged {
      Objects.requireNonNull(worker);
      snapshots = OrderedCopies.list(snapshots);
    }
  }

  /** A task takes no part. */
  record Declined(ExecutionId execution, long checkpoint, DeclineCause cause)
      implements CheckpointEvent {
    public Declined {
      Objects.requireNonNull(execution);
      Objects.requireNonNull(cause);
    }
  }

  /** A TaskManager did not take the request for a checkpoint. */
  record TriggerFailed(WorkerId worker, long checkpoint, String message)
      implements CheckpointEvent {
    public TriggerFailed {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(message);
    }
  }

  /**
   * Tasks have finished, or have ended their input and finish after a checkpoint that begins from
   * now on.
   *
   * @param executions the latter
   */
  record TasksAwait(List<ExecutionId> executions) implements CheckpointEvent {
    public TasksAwait {
      executions = OrderedCopies.list(executions);
    }
  }

  /** The metadata is written and the recovery store has the checkpoint: it is complete. */
  record Stored(CompletedCheckpoint checkpoint) implements CheckpointEvent {
    public Stored {
      Objects.requireNonNull(checkpoint);
    }
  }

  /**
   * The directory, the metadata or the record of a checkpoint could not be written.
   *
   * @param undecided whether the recovery store may have the checkpoint nevertheless
   */
  record StorageFailed(long checkpoint, Reason reason, boolean undecided)
      implements CheckpointEvent {
    public StorageFailed {
      Objects.requireNonNull(reason);
    }
  }

  /** A source begins or ends to process backlog: old records, whose latency does not matter. */
  record BacklogChanged(ExecutionId execution, boolean backlog) implements CheckpointEvent {
    public BacklogChanged {
      Objects.requireNonNull(execution);
    }
  }

  /** The job has reached a final status, or is suspended. */
  record JobEnded() implements CheckpointEvent {}

  /** The time of {@link CheckpointCoordinator#nextWake} has come. */
  record Tick() implements CheckpointEvent {}
}
