package io.millrace.dataplane.operator;

import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.snapshot.RestoredState;

/** An operator in a chain. It calls the operators downstream directly. */
public abstract class StreamOperator {
  /** The result of a call of {@link #end}. */
  public enum EndStatus {
    /** The operator has emitted all results. */
    DONE,
    /** The operator continues in another step. */
    YIELDED,
    /** The operator continues when the task is woken. */
    WAITING
  }

  public abstract void processElement(Object record);

  /**
   * Announces the records that {@link #processElement} gets next, in this order. An operator with
   * large state looks up the state of all of them at once, so that cache misses overlap.
   */
  public void prefetch(Object[] records, int from, int to) {}

  /** Event time has reached this watermark; all earlier records have been processed. */
  public void watermark(long watermark) {}

  /** Whether the operator itself passes on watermarks and idleness of its input. */
  public boolean handlesWatermarks() {
    return false;
  }

  /** The input became idle or active; an idle input does not hold event time back. */
  public void idle(boolean idle) {}

  /**
   * Emits the last results, because the input is complete. The task repeats the call until it
   * returns DONE, so an implementation remembers its progress; it returns when an output is full.
   */
  public EndStatus end() {
    return EndStatus.DONE;
  }

  // --- checkpoints

  /**
   * Fills the operator with the state of a checkpoint, before the first record. Not called for an
   * operator that starts for the first time.
   */
  public void restore(RestoredState state) throws Exception {}

  /**
   * Called before the barrier of a checkpoint leaves the task: emits and flushes what belongs to
   * the checkpoint, and fills the operator state.
   */
  public void prepareSnapshot(long checkpoint) throws Exception {}

  /**
   * Adds the keyed state. It must not copy it: the task processes no record until the call returns.
   * After {@link #end} an operator adds nothing that makes it emit its last results again.
   */
  public void snapshot(OperatorSnapshotBuilder snapshot) throws Exception {}

  /** Whether {@link #snapshot} adds keyed state, so that {@link #restore} took it over. */
  public boolean hasKeyedState() {
    return false;
  }

  /** A checkpoint is durable. Checkpoints between the last one and this one will not complete. */
  public void checkpointCompleted(long checkpoint) throws Exception {}

  /** A checkpoint will not complete. */
  public void checkpointAborted(long checkpoint) throws Exception {}

  /** Whether the task must not finish before the next checkpoint has completed. */
  public boolean awaitsCheckpoint() {
    return false;
  }

  /**
   * Called in place of {@link #end} if the job stops with a savepoint that has the state: emits no
   * results, but hands over what was emitted before.
   */
  public EndStatus endSuspended() {
    return EndStatus.DONE;
  }

  /**
   * Called before the task finishes, after {@link #end} or {@link #endSuspended} and after the
   * checkpoint that an operator awaited.
   */
  public void finish() {}

  /** Called once at the end of the task, even if no record was processed. */
  public void close() throws Exception {}
}
