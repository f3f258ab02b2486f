package io.millrace.dataplane;

import io.millrace.api.time.Timestamps;
import java.util.function.LongSupplier;

/**
 * The times of a task, as its stages see them. Records carry no time of their own inside a chain:
 * who pushes one has set its time here. Lives in the task's step.
 */
final class TaskClock {
  private final LongSupplier clock;

  /** Of the record that is being pushed. */
  long timestamp = Timestamps.NONE;

  private long now = Long.MIN_VALUE;

  /**
   * @param clock milliseconds since 1970
   */
  TaskClock(LongSupplier clock) {
    this.clock = clock;
  }

  /** Reads the clock. It never goes back here, even if the machine's does. */
  long read() {
    now = Math.max(now, clock.getAsLong());
    return now;
  }

  /** Processing time as of the last look, which is a batch of records ago at most. */
  long now() {
    return now;
  }
}
