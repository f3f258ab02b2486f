package io.millrace.dataplane.operator;

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

  /** The input became idle or active; an idle input does not hold event time back. */
  public void idle(boolean idle) {}

  /**
   * Emits the last results, because the input is complete. The task repeats the call until it
   * returns DONE, so an implementation remembers its progress; it returns when an output is full.
   */
  public EndStatus end() {
    return EndStatus.DONE;
  }

  /** Called once at the end of the task, even if no record was processed. */
  public void close() throws Exception {}
}
