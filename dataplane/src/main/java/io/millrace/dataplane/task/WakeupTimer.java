package io.millrace.dataplane.task;

import java.time.Duration;
import java.util.concurrent.Future;

/**
 * Wakes an idle task when a timer or a periodic watermark is due. All tasks of a process share one
 * timer thread, and a task has at most one entry there. Belongs to the task's step.
 */
final class WakeupTimer {
  private final Task task;
  private Future<?> pending;
  private long pendingAt;

  WakeupTimer(Task task) {
    this.task = task;
  }

  /**
   * Wakes the task at the earlier of two times.
   *
   * @param nanos from now, {@link Long#MAX_VALUE} for never
   * @param millis since the epoch, {@link Long#MAX_VALUE} for never
   */
  void set(long nanos, long millis) {
    long wait = nanos;
    if (millis != Long.MAX_VALUE) {
      long untilThen = Math.max(0, millis - task.clock().read());
      wait = Math.min(wait, untilThen > Long.MAX_VALUE / 1_000_000 ? wait : untilThen * 1_000_000);
    }
    if (wait == Long.MAX_VALUE) {
      return;
    }
    long now = System.nanoTime();
    long at = now + wait;
    // A timer that is due may have fired and woken this step.
    if (pending != null && pendingAt - now > 0) {
      // A timer that fires too early does no harm: the next step sets a new one.
      if (pendingAt - at <= 0) {
        return;
      }
      pending.cancel(false);
    }
    pendingAt = at;
    pending = task.wakeAfter(Duration.ofNanos(wait));
  }

  void close() {
    if (pending != null) {
      pending.cancel(false);
    }
  }
}
