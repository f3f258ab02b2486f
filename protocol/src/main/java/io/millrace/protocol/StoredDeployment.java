package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import java.util.List;
import java.util.Objects;

/**
 * The executions of a job that its next leader may adopt. Stored before a deployment is sent, so
 * that no execution is adopted whose subtask was deployed again.
 *
 * @param slots the slots of these executions, each once
 * @param executions the execution of each subtask, in the order of vertices and subtasks
 */
public record StoredDeployment(List<StoredSlot> slots, List<StoredExecution> executions) {
  /** Nothing is deployed. */
  public static final StoredDeployment NONE = new StoredDeployment(List.of(), List.of());

  public StoredDeployment {
    slots = OrderedCopies.list(slots);
    executions = OrderedCopies.list(executions);
  }

  public boolean isEmpty() {
    return executions.isEmpty();
  }

  /** A slot with its TaskManager. */
  public record StoredSlot(AllocationId allocation, WorkerId worker, ResourceProfile profile) {
    public StoredSlot {
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(worker);
      Objects.requireNonNull(profile);
    }
  }

  /**
   * @param slot an index in {@link StoredDeployment#slots()}; {@link #NOT_DEPLOYED} if the
   *     execution cannot be adopted
   * @param checkpoints as its leader knew them when it was deployed; it started with the completed
   *     one
   */
  public record StoredExecution(
      ExecutionId execution, int attempt, int slot, CheckpointOutcomes checkpoints) {
    /** Of an execution that is not deployed, or is being cancelled. */
    public static final int NOT_DEPLOYED = -1;

    public StoredExecution {
      Objects.requireNonNull(execution);
      Objects.requireNonNull(checkpoints);
    }

    public boolean isDeployed() {
      return slot >= 0;
    }

    /**
     * Whether it started with the checkpoint, or the checkpoint began after its deployment.
     * Otherwise the checkpoint has the state of an earlier execution, which its leader did not know
     * to be complete.
     *
     * @param completed the last checkpoint that is complete
     */
    public boolean continues(long completed) {
      return completed == checkpoints.completed() || completed > checkpoints.last();
    }
  }
}
