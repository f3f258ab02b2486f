package io.millrace.task;

import io.millrace.core.Bytes;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import java.util.Optional;

/** Hears what becomes of deployed tasks. Called from any thread; implementations only enqueue. */
public interface TaskListener {
  /**
   * A task reached INITIALIZING, RUNNING, or one of the final states; a final one comes exactly
   * once and is the last state of this execution, after which nothing of it runs any more.
   *
   * @param failure present exactly for FAILED
   */
  void stateChanged(ExecutionId execution, TaskState state, Optional<Failure> failure);

  /**
   * A task has failed and is about to end. Its final state comes when its code has come back, which
   * may take as long as that code likes where the failure came from outside of it. Code that comes
   * back at once may even be faster than this call, which then means nothing.
   */
  default void failing(ExecutionId execution) {}

  /** What a task has done in all; comes right before its final state, from hosts that count. */
  default void counted(TaskCounters last) {}

  /**
   * A collecting task has records for the client. It hands over the next part only after {@code
   * accepted} ran, which is how a slow client holds the job back.
   *
   * @param name the name given in {@link io.millrace.api.operator.OperatorSpec.Collect}
   * @param records a serialised batch of records
   * @param count how many records are in it
   */
  void collected(ExecutionId execution, String name, Bytes records, int count, Runnable accepted);
}
