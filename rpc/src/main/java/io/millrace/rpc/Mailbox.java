package io.millrace.rpc;

import java.time.Duration;

/** Runs what is posted to it one after the other, in the order posted. Never blocks the poster. */
public interface Mailbox {
  void post(Runnable task);

  /** Posts after a delay, unless cancelled before it runs. */
  Timer after(Duration delay, Runnable task);

  /** Throws unless called from a task of this mailbox. Always on: confinement is cheap to check. */
  void checkInside();

  /**
   * The journal event that what runs now came from, 0 for none; calls made from here carry it. Set
   * anew for every task.
   */
  long cause();

  void cause(long event);

  /** Drops what has not run yet and everything posted later. */
  void close();

  /** A delayed task. */
  @FunctionalInterface
  interface Timer {
    /** After this the task does not run, also if its time had already come. */
    void cancel();
  }
}
