package io.millrace.dataplane.cores;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpmcUnboundedXaddArrayQueue;

/** A run queue for one CPU. One worker at a time owns it and runs its tasks. */
final class Core {
  private static final int QUEUE_CHUNK = 256;

  final int index;
  final MpmcUnboundedXaddArrayQueue<Tasklet> queue = new MpmcUnboundedXaddArrayQueue<>(QUEUE_CHUNK);

  /** The worker that runs the tasks; changed only by the worker that donates the core. */
  volatile CoreWorker owner;

  /** The number of tasks that its owners have taken; only the owner writes it. */
  int turns;

  private final AtomicBoolean parked = new AtomicBoolean();
  private volatile Thread sleeper;

  Core(int index) {
    this.index = index;
  }

  /** Announces that the owner is about to sleep, so that a signal wakes it from now on. */
  void announceSleep() {
    sleeper = Thread.currentThread();
    parked.set(true);
  }

  /** Wakes the owner; false if it does not sleep or another thread has woken it. */
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
