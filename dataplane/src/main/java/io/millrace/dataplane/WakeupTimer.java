package io.millrace.dataplane;

import java.time.Duration;
import java.util.concurrent.Future;

/**
 * Wakes an idle task when time alone gives it something to do. All tasks of a host share one timer
 * thread, and a task has at most one entry there. Lives in the task's step.
 */
final class WakeupTimer {
  private final Task task;
  private Future<?> pending;
  private long pendingAt;

  WakeupTimer(Task task) {
    this.task = task;
  }

  /**
   * Wakes the task at the earlier of two moments.
   *
   * @param nanos from now, {@link Long#MAX_VALUE} for never
   * @param millis since 1970, {@link Long#MAX_VALUE} for never
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
    // One whose time has come may have rung already: that is what woke this step.
    if (pending != null && pendingAt - now > 0) {
      // One that rings too early does no harm; the next step sets it anew.
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
