package io.millrace.dataplane.cores;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpmcUnboundedXaddArrayQueue;

/** The right to keep one CPU busy, and the tasks that wait for it. One worker owns it at a time. */
final class Core {
  private static final int QUEUE_CHUNK = 256;

  final int index;
  final MpmcUnboundedXaddArrayQueue<Tasklet> queue = new MpmcUnboundedXaddArrayQueue<>(QUEUE_CHUNK);

  /** Who works here; changed only by the worker that gives it away. */
  volatile CoreWorker owner;

  /** How many tasks its owners have taken; only the owner counts. */
  int turns;

  private final AtomicBoolean parked = new AtomicBoolean();
  private volatile Thread sleeper;

  Core(int index) {
    this.index = index;
  }

  /** Announces that the owner is about to sleep; a signal from now on finds it. */
  void announceSleep() {
    sleeper = Thread.currentThread();
    parked.set(true);
  }

  /** Takes the core out of its sleep; false if it was not asleep or somebody else did. */
  boolean signal() {
    if (!parked.get() || !parked.compareAndSet(true, false)) {
      return false;
    }
    LockSupport.unpark(sleeper);
    return true;
  }

  void sleep() {
    while (parked.get()) {
      LockSupport.park(this);
    }
  }
}
