package io.millrace.task;

import io.millrace.core.Bytes;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.Optional;
import java.util.function.LongConsumer;

/** Receives the events of deployed tasks. Any thread calls it; it must not block. */
public interface TaskListener {
  /**
   * A task reached INITIALIZING, RUNNING, or a final state. A final state is reported exactly once,
   * as the last state of the execution, and nothing of it runs afterwards.
   *
   * @param failure present exactly for FAILED
   */
  void stateChanged(ExecutionId execution, TaskState state, Optional<Failure> failure);

  /**
   * A task has failed and is ending. Its final state follows when its user code has returned, which
   * may take long if the failure came from outside of it. The final state may also be reported
   * before this call, which then has no effect.
   */
  default void failing(ExecutionId execution) {}

  /** The last counters of a task, directly before its final state; optional. */
  default void counted(TaskCounters last) {}

  /**
   * A task has stored its part of a checkpoint. Tasks that share files report together, when all of
   * them on the host have written theirs, so that a report may follow the final state of a task
   * that has finished.
   */
  default void snapshotStored(long checkpoint, TaskSnapshot snapshot) {}

  /**
   * A task cannot take its part of a checkpoint; the task itself goes on. Nothing is reported for a
   * checkpoint that was aborted.
   */
  default void snapshotDeclined(ExecutionId execution, long checkpoint, DeclineCause cause) {}

  /**
   * A task has ended its input and finishes when a checkpoint that begins from now on is complete.
   * Reported again after each completed checkpoint that was not enough.
   */
  default void awaitsCheckpoint(ExecutionId execution) {}

  /** A source begins or ends to process backlog: records whose latency does not matter. */
  default void backlogChanged(ExecutionId execution, boolean backlog) {}

  /**
   * A task of a source reports its watermark to its alignment group.
   *
   * @param watermark the lowest long if there is none yet, the highest if the source is idle
   * @param answer gets the lowest watermark of the group, on any thread; the report is repeated, so
   *     that an answer may be missing
   */
  default void alignWatermark(
      ExecutionId execution, String group, long watermark, LongConsumer answer) {}

  /**
   * A collecting task has records for the client. It sends the next part only after {@code
   * accepted} ran, so that a slow client back-pressures the job.
   *
   * @param name the name given in {@link io.millrace.api.operator.OperatorSpec.Collect}
   * @param records a serialised batch of records
   * @param count the number of records
   */
  void collected(ExecutionId execution, String name, Bytes records, int count, Runnable accepted);
}
