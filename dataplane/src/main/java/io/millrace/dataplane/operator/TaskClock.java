package io.millrace.dataplane.operator;

import io.millrace.api.time.Timestamps;
import java.util.function.LongSupplier;

/**
 * The times of a task as its operators see them. Records carry no timestamp inside a chain: the
 * caller of {@link StreamOperator#processElement} sets it here first. Belongs to the task's step.
 */
public final class TaskClock {
  private final LongSupplier clock;
  private final LongSupplier ticker;

  /** The timestamp of the record that is being processed. */
  public long timestamp = Timestamps.NONE;

  private long now = Long.MIN_VALUE;

  /**
   * @param clock milliseconds since the epoch
   * @param ticker nanoseconds since any time
   */
  TaskClock(LongSupplier clock, LongSupplier ticker) {
    this.clock = clock;
    this.ticker = ticker;
  }

  /** Reads the clock. The result never decreases, even if the system clock does. */
  public long read() {
    now = Math.max(now, clock.getAsLong());
    return now;
  }

  /** Nanoseconds for intervals that a program sets, such as those of watermarks and time-outs. */
  public long nanoTime() {
    return ticker.getAsLong();
  }

  /** Processing time at the last {@link #read}, which is at most a batch of records ago. */
  public long now() {
    return now;
  }
}
