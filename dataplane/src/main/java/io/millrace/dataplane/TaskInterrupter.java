package io.millrace.dataplane;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts a task that is to end and does not come back from its step: quickly at first, because
 * libraries often swallow an interrupt or two, and then as often as the job wants it.
 */
final class TaskInterrupter {
  private static final Logger LOG = LoggerFactory.getLogger(TaskInterrupter.class);
  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration NEXT = Duration.ofMillis(250);
  private static final int QUICK = 4;

  /** User code that closes its files is left in peace for as long. */
  private static final Duration PEACE = Duration.ofSeconds(5);

  private final Task task;
  private final Duration interval;
  private int times;

  private TaskInterrupter(Task task) {
    this.task = task;
    Duration wanted = task.deployment().cancellationInterval();
    // Without a pause this would keep the host's one timer busy.
    this.interval = wanted.compareTo(NEXT) < 0 ? NEXT : wanted;
  }

  /** Begins when the task has been told to end. */
  static void on(Task task) {
    TaskInterrupter insistence = new TaskInterrupter(task);
    task.after(FIRST, insistence::again);
  }

  /** Runs on the timer. */
  private void again() {
    if (task.hasEnded()) {
      return;
    }
    boolean quick = ++times < QUICK;
    Duration peace = peaceLeft();
    try {
      if (peace.isZero() && task.interruptStep() && !quick) {
        LOG.warn(
            "Task {} does not react to {} interrupts. It is in\n  {}",
            task.label(),
            times,
            Stream.of(task.stack()).map(Object::toString).collect(Collectors.joining("\n  ")));
      }
    } finally {
      task.after(!peace.isZero() ? peace : quick ? NEXT : interval, this::again);
    }
  }

  /** How long the task may still close its operators without being interrupted. */
  private Duration peaceLeft() {
    OptionalLong since = task.closingSince();
    if (since.isEmpty()) {
      return Duration.ZERO;
    }
    Duration left = PEACE.minusNanos(System.nanoTime() - since.getAsLong());
    return left.isNegative() ? Duration.ZERO : left;
  }
}
