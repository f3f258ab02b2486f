package io.millrace.dataplane;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import java.time.Duration;
import java.util.Optional;

/**
 * When batches that are not full leave a task.
 *
 * @param mode what decides
 * @param interval how long a record waits at most, where that decides
 */
record FlushPolicy(Mode mode, Duration interval) {
  enum Mode {
    /** Whenever the task has nothing to do or has been busy for a while. */
    ADAPTIVE,
    /** With every record. */
    EACH_RECORD,
    /** When the first record has waited so long. */
    INTERVAL,
    /** Never, but for what has to be ahead of watermarks, barriers and the end. */
    WHEN_FULL
  }

  static final FlushPolicy ADAPTIVE = new FlushPolicy(Mode.ADAPTIVE, Duration.ZERO);

  static FlushPolicy of(Configuration job) {
    if (!job.get(Options.BUFFER_TIMEOUT_ENABLED)) {
      return new FlushPolicy(Mode.WHEN_FULL, Duration.ZERO);
    }
    Optional<Duration> interval = job.find(Options.BUFFER_TIMEOUT);
    if (interval.isEmpty()) {
      return ADAPTIVE;
    }
    return interval.get().isZero()
        ? new FlushPolicy(Mode.EACH_RECORD, Duration.ZERO)
        : new FlushPolicy(Mode.INTERVAL, interval.get());
  }

  /** How many records a batch has at most, if that many fit. */
  int largestBatch(int fit) {
    return mode == Mode.EACH_RECORD ? 1 : fit;
  }

  boolean isTimed() {
    return mode == Mode.INTERVAL;
  }

  /**
   * How long batches may still be kept, 0 or less if they have to go.
   *
   * @param waited how long the first record has been waiting, in nanoseconds
   */
  long rest(long waited) {
    return switch (mode) {
      case ADAPTIVE, EACH_RECORD -> 0;
      case INTERVAL -> interval.toNanos() - waited;
      case WHEN_FULL -> Long.MAX_VALUE;
    };
  }
}
