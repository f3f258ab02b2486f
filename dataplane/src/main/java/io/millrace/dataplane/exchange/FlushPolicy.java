package io.millrace.dataplane.exchange;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * The condition under which a task sends a batch that is not full.
 *
 * @param interval the maximum time that a record waits in mode INTERVAL
 */
record FlushPolicy(Mode mode, Duration interval) {
  enum Mode {
    /** The task is idle, or has been busy for 2 ms. */
    ADAPTIVE,
    /** Each record is a batch. */
    EACH_RECORD,
    /** The first record of the batch has waited for the interval. */
    INTERVAL,
    /** Only a full batch or a control element. */
    WHEN_FULL
  }

  static final FlushPolicy ADAPTIVE = new FlushPolicy(Mode.ADAPTIVE, Duration.ZERO);

  static FlushPolicy of(Configuration job) {
    if (!job.get(ExecutionOptions.BUFFER_TIMEOUT_ENABLED)) {
      return new FlushPolicy(Mode.WHEN_FULL, Duration.ZERO);
    }
    Optional<Duration> interval = job.find(ExecutionOptions.BUFFER_TIMEOUT);
    if (interval.isEmpty()) {
      return ADAPTIVE;
    }
    return interval.get().isZero()
        ? new FlushPolicy(Mode.EACH_RECORD, Duration.ZERO)
        : new FlushPolicy(Mode.INTERVAL, interval.get());
  }

  /** The maximum number of records in a batch. */
  int largestBatch(int fit) {
    return mode == Mode.EACH_RECORD ? 1 : fit;
  }

  boolean isTimed() {
    return mode == Mode.INTERVAL;
  }

  /**
   * The nanoseconds until open batches are due; 0 or less if they are due now.
   *
   * @param waited the nanoseconds that the first record has waited
   */
  long rest(long waited) {
    return switch (mode) {
      case ADAPTIVE, EACH_RECORD -> 0;
      case INTERVAL -> interval.toNanos() - waited;
      case WHEN_FULL -> Long.MAX_VALUE;
    };
  }
}
