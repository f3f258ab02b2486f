package io.millrace.dataplane.task;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts a stopping task that does not return from its step. The first interrupts follow each
 * other quickly, because libraries often swallow one; after that the interval is the job's
 * cancellation interval.
 */
final class TaskInterrupter {
  private static final Logger LOG = LoggerFactory.getLogger(TaskInterrupter.class);
  private static final Duration FIRST_DELAY = Duration.ofMillis(100);
  private static final Duration QUICK_INTERVAL = Duration.ofMillis(250);
  private static final int QUICK_ATTEMPTS = 4;

  /** The time that user code has to close its files without an interrupt. */
  private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);

  private final Task task;
  private final Duration interval;
  private int attempts;

  private TaskInterrupter(Task task) {
    this.task = task;
    Duration configured = task.cancellationInterval();
    // A shorter interval would keep the timer thread busy, which all tasks share.
    this.interval = configured.compareTo(QUICK_INTERVAL) < 0 ? QUICK_INTERVAL : configured;
  }

  /** Starts to interrupt a task that has been told to stop. */
  static void start(Task task) {
    TaskInterrupter interrupter = new TaskInterrupter(task);
    task.after(FIRST_DELAY, interrupter::interrupt);
  }

  /** Runs on the timer thread. */
  private void interrupt() {
    if (task.hasEnded()) {
      return;
    }
    boolean quick = ++attempts < QUICK_ATTEMPTS;
    Duration grace = graceLeft();
    try {
      if (grace.isZero() && task.interruptStep() && !quick) {
        LOG.warn(
            "Task {} does not react to {} interrupts. It is in\n  {}",
            task.label(),
            attempts,
            Stream.of(task.stack()).map(Object::toString).collect(Collectors.joining("\n  ")));
      }
    } finally {
      task.after(!grace.isZero() ? grace : quick ? QUICK_INTERVAL : interval, this::interrupt);
    }
  }

  /** The time that the task may still close its operators without an interrupt. */
  private Duration graceLeft() {
    OptionalLong since = task.closingSince();
    if (since.isEmpty()) {
      return Duration.ZERO;
    }
    Duration left = CLOSE_GRACE.minusNanos(System.nanoTime() - since.getAsLong());
    return left.isNegative() ? Duration.ZERO : left;
  }
}
