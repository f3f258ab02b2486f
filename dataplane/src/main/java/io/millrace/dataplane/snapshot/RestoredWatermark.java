package io.millrace.dataplane.snapshot;

/**
 * The event time with which an operator starts: the lowest of the former subtasks whose state it
 * has. With aligned barriers these are equal, unless channels were idle.
 */
public final class RestoredWatermark {
  private long lowest = Long.MAX_VALUE;

  /** Adds the event time of a former subtask. */
  public void add(long watermark) {
    lowest = Math.min(lowest, watermark);
  }

  /** {@link Long#MIN_VALUE} if there is none. */
  public long watermark() {
    return lowest == Long.MAX_VALUE ? Long.MIN_VALUE : lowest;
  }
}
