package io.millrace.api.process;

/**
 * A rich function that takes part in checkpoints. It fills its operator states (see {@link
 * RuntimeContext#operatorListState}) directly before a snapshot, instead of with each record, and
 * reads them in {@link #open} after a restart. Keyed state needs none of this.
 */
public interface CheckpointedFunction extends RichFunction {
  /**
   * Called before the state of the function goes into a checkpoint. There is no current key. An
   * exception fails the checkpoint.
   */
  void snapshotState(long checkpoint) throws Exception;

  /**
   * A checkpoint is complete. Not every checkpoint is announced: one that completes shortly before
   * a failure may not be, and an earlier one that was not announced counts as complete, too, or was
   * given up.
   */
  default void checkpointCompleted(long checkpoint) throws Exception {}
}
