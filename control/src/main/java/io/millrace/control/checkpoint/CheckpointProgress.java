package io.millrace.control.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.reason.Reason;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.List;
import java.util.Objects;

/** A step of one checkpoint. */
public sealed interface CheckpointProgress {
  long checkpoint();

  /** It was triggered. */
  record Triggered(
      long checkpoint, CheckpointRequest.Type type, List<CheckpointPlan.Participant> tasks)
      implements CheckpointProgress {
    public Triggered {
      Objects.requireNonNull(type);
      tasks = OrderedCopies.list(tasks);
    }
  }

  /**
   * It is complete.
   *
   * @param durationNanos from the trigger to the record in the recovery store
   */
  record Completed(CompletedCheckpoint completed, long durationNanos)
      implements CheckpointProgress {
    public Completed {
      Objects.requireNonNull(completed);
    }

    @Override
    public long checkpoint() {
      return completed.number();
    }
  }

  /**
   * It was complete, but its state cannot be used.
   *
   * @param fallback the number of the earlier one that tasks go back to
   * @param message what is wrong with it
   */
  record Abandoned(CompletedCheckpoint abandoned, long fallback, String message)
      implements CheckpointProgress {
    public Abandoned {
      Objects.requireNonNull(abandoned);
      Objects.requireNonNull(message);
    }

    @Override
    public long checkpoint() {
      return abandoned.number();
    }
  }

  /** It was given up. */
  record Aborted(long checkpoint, Reason reason) implements CheckpointProgress {
    public Aborted {
      Objects.requireNonNull(reason);
    }
  }
}
