package io.millrace.control.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.util.List;
import java.util.Objects;

/** Whether a checkpoint of the job can be triggered now. */
public sealed interface CheckpointPlan {
  /**
   * The tasks that take part.
   *
   * @param tasks all that have not finished; those that have finished are not in it
   */
  record Ready(List<Participant> tasks) implements CheckpointPlan {
    public Ready {
      tasks = OrderedCopies.list(tasks);
    }
  }

  /** It cannot. */
  record NotReady(Reason reason) implements CheckpointPlan {
    public NotReady {
      Objects.requireNonNull(reason);
    }
  }

  /**
   * A task that stores its state.
   *
   * @param name as people know it
   * @param source whether barriers start at it: it has no producer that still runs
   */
  record Participant(
      VertexId vertex,
      int subtask,
      ExecutionId execution,
      WorkerId worker,
      String name,
      boolean source) {
    public Participant {
      Objects.requireNonNull(vertex);
      Objects.requireNonNull(execution);
      Objects.requireNonNull(worker);
      Objects.requireNonNull(name);
    }
  }

  /** Plans a checkpoint from the states of the tasks now. */
  interface Planner {
    CheckpointPlan plan();
  }
}
