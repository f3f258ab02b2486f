package io.millrace.rpc;

import java.time.Duration;

/**
 * Runs tasks one after the other, in the order in which they were posted. Posting does not block.
 */
public interface Mailbox {
  void post(Runnable task);

  /** Posts the task after a delay. A cancelled task does not run. */
  Timer after(Duration delay, Runnable task);

  /** Throws unless called from a task of this mailbox. The check is cheap and always on. */
  void checkInside();

  /**
   * The journal event that caused the current task; 0 for none. Calls made from the task carry it.
   * Reset to 0 before every task.
   */
  long cause();

  void cause(long event);

  /** Drops all tasks that have not run, and tasks that are posted later. */
  void close();

  /** A delayed task. */
  @FunctionalInterface
  interface Timer {
    /** The task does not run after this call, even if its delay has passed. */
    void cancel();
  }
}
