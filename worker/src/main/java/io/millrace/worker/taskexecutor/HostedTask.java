package io.millrace.worker.taskexecutor;

import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.protocol.JobMasterGateway.CheckpointNotice.RestoredStateUnusable;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.rpc.Mailbox;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.UnusableStateException;
import java.util.Optional;

/** A task that is deployed on this worker and has not ended. Its {@link JobTasks} changes it. */
final class HostedTask {
  final TaskSpec spec;
  final AllocationId slot;
  final Optional<RestoredCheckpoint> restored;

  /** Of the leader that deployed or adopted it; closed while it is kept for the next leader. */
  JobMasterSession session;

  boolean handedOver;
  boolean cancelling;

  /** The last state that the task host reported. */
  TaskState state = TaskState.DEPLOYING;

  /** Whether it has reported that it awaits a checkpoint. */
  boolean awaitsCheckpoint;

  /** Whether it has reported backlog that has not ended. */
  boolean backlog;

  /** Whether a JobMaster has got records of it for the client, which the next one does not have. */
  boolean collects;

  /** Ends the process if the task has failed and does not end. */
  Optional<Mailbox.Timer> watchdog = Optional.empty();

  /** Why it is cancelled, if not by its JobMaster: it is then reported as failed. */
  Optional<Failure> failure = Optional.empty();

  Optional<TaskCounters> counters = Optional.empty();

  HostedTask(TaskInSlot deployed, Optional<RestoredCheckpoint> restored, JobMasterSession session) {
    this.spec = deployed.task();
    this.slot = deployed.slot();
    this.restored = restored;
    this.session = session;
  }

  /** Whether it runs without a leader. */
  boolean isKept() {
    return !session.isOpen() && handedOver && !cancelling;
  }

  /** The update of a failed task; names the checkpoint whose state it cannot use. */
  TaskUpdate failed(Failure cause) {
    TaskUpdate update = TaskUpdate.failed(spec.execution(), cause);
    return restored.isPresent() && UnusableStateException.caused(cause)
        ? update.with(new RestoredStateUnusable(restored.get().number()))
        : update;
  }
}
