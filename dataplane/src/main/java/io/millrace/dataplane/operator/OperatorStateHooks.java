package io.millrace.dataplane.operator;

import io.millrace.dataplane.snapshot.OperatorStateBackend;

/**
 * Part of an operator that has operator state, such as the reader of a source or the writer of a
 * sink. All calls are made in the task's step.
 */
public interface OperatorStateHooks {
  /**
   * Called before the first record; the state is empty if the operator starts for the first time.
   */
  default void restoreState(OperatorStateBackend state) throws Exception {}

  /** Fills the operator state directly before a snapshot. */
  void snapshotState(long checkpoint, OperatorStateBackend state) throws Exception;

  /** A checkpoint is durable. */
  default void checkpointCompleted(long checkpoint) throws Exception {}

  /** A checkpoint will not complete. */
  default void checkpointAborted(long checkpoint) throws Exception {}

  /** Whether the task must not finish before the next checkpoint has completed. */
  default boolean awaitsCheckpoint() {
    return false;
  }
}
