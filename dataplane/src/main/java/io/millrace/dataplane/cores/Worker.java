package io.millrace.dataplane.cores;

import io.millrace.dataplane.cores.Stepped.Outcome;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A thread's turn at a core. It ends when the core was given to another worker in the middle of a
 * step; the thread then belongs to that step's task until the task is well-behaved again.
 */
final class Worker implements Runnable {
  private static final long SHORT_STEP_NANOS = 2_000_000;
  private static final int SHORT_STEPS_TO_RETURN = 8;

  /** Marks a step whose core has gone to another worker. */
  private static final long LOST = -1;

  private final Cores cores;
  private final Core core;

  /**
   * When the step in progress began, 0 between steps, LOST when the core was given away during it.
   * Whoever changes it first decides: the step's end, or one that gives the core away.
   */
  private final AtomicLong stepStart = new AtomicLong();

  Worker(Cores cores, Core core) {
    this.cores = cores;
    this.core = core;
  }

  @Override
  public void run() {
    Thread.currentThread().setName("millrace-core-" + core.index);
    while (!cores.isClosed()) {
      Stepped task = cores.next(core);
      if (task == null) {
        cores.idle(core);
        continue;
      }
      long start = Math.max(1, System.nanoTime());
      stepStart.set(start);
      Outcome outcome = task.run(this);
      if (!stepStart.compareAndSet(start, 0)) {
        task.detached = true;
        task.shortSteps = 0;
        runAlone(task, outcome);
        cores.ownThreads().decrementAndGet();
        return;
      }
      if (task.settle(outcome)) {
        cores.enqueue(task);
      }
    }
  }

  /** Runs a detached task on this thread until it is idle or may go back to the cores. */
  void runAlone(Stepped task, Outcome last) {
    Outcome outcome = last;
    while (task.settle(outcome)) {
      if (!task.detached || cores.isClosed()) {
        cores.enqueue(task);
        return;
      }
      outcome = stepAlone(task);
    }
  }

  void startAlone(Stepped task) {
    runAlone(task, stepAlone(task));
  }

  private Outcome stepAlone(Stepped task) {
    long start = System.nanoTime();
    Outcome outcome = task.run(this);
    if (System.nanoTime() - start > SHORT_STEP_NANOS) {
      task.shortSteps = 0;
    } else if (++task.shortSteps >= SHORT_STEPS_TO_RETURN) {
      task.detached = false;
    }
    return outcome;
  }

  /** How long the step in progress has held the core; 0 if none does. */
  long holdsCoreFor(long now) {
    long start = stepStart.get();
    return start > 0 ? now - start : 0;
  }

  /**
   * Gives the core of the step in progress to a fresh thread; false if there is no such step or it
   * has none. Called by the worker's own thread before it blocks, and by the watchdog.
   */
  boolean donate() {
    long start = stepStart.get();
    if (start <= 0 || !stepStart.compareAndSet(start, LOST)) {
      return false;
    }
    cores.ownThreads().incrementAndGet();
    Worker next = new Worker(cores, core);
    core.owner = next;
    cores.start(next);
    return true;
  }
}
