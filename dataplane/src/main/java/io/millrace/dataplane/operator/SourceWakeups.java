package io.millrace.dataplane.operator;

import java.time.Duration;
import java.util.concurrent.Future;

/** Wakes the task of a source when its user code asks for it. Any thread may call it. */
final class SourceWakeups {
  private final TaskEnvironment task;
  private final Runnable beforeWake;
  private Future<?> pending;
  private boolean closed;

  /**
   * @param beforeWake runs before each wake, on any thread
   */
  SourceWakeups(TaskEnvironment task, Runnable beforeWake) {
    this.task = task;
    this.beforeWake = beforeWake;
  }

  void wake() {
    beforeWake.run();
    task.wake();
  }

  synchronized void wakeAfter(Duration delay) {
    if (!closed) {
      // Replaces the last timer, so that a reader that asks in every poll has one timer.
      cancelPending();
      pending = task.after(delay, this::wake);
    }
  }

  synchronized void close() {
    closed = true;
    cancelPending();
  }

  private void cancelPending() {
    if (pending != null) {
      pending.cancel(false);
    }
  }
}
