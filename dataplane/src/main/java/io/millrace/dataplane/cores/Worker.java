package io.millrace.dataplane.cores;

import io.millrace.dataplane.cores.Stepped.Outcome;

/**
 * A thread's turn at a core. It ends when the core was given to another worker in the middle of a
 * step; the thread then belongs to that step's task until the task is well-behaved again.
 */
final class Worker implements Runnable {
  private static final long SHORT_STEP_NANOS = 2_000_000;
  private static final int SHORT_STEPS_TO_RETURN = 8;

  private final Cores cores;
  private final Core core;

  /** When the step in progress began; 0 between steps. Read by the watchdog. */
  volatile long stepStart;

  Worker(Cores cores, Core core) {
    this.cores = cores;
    this.core = core;
  }

  private boolean ownsCore() {
    return core.owner.get() == this;
  }

  @Override
  public void run() {
    Thread.currentThread().setName("millrace-core-" + core.index);
    while (ownsCore() && !cores.isClosed()) {
      Stepped task = cores.next(core);
      if (task == null) {
        cores.idle(core);
        continue;
      }
      stepStart = Math.max(1, System.nanoTime());
      Outcome outcome = task.run(this);
      stepStart = 0;
      if (ownsCore()) {
        if (task.settle(outcome)) {
          cores.enqueue(task);
        }
      } else {
        task.detached = true;
        task.shortSteps = 0;
        Thread.currentThread().setName("millrace-own");
        runAlone(task, outcome);
        return;
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
    Thread.currentThread().setName("millrace-own");
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

  /**
   * Gives the core to a fresh thread, if this worker still owns it. Called by the worker's own
   * thread before it blocks, or by the watchdog while it is in a step.
   */
  boolean donate() {
    Worker next = new Worker(cores, core);
    if (!core.owner.compareAndSet(this, next)) {
      return false;
    }
    cores.start(next);
    return true;
  }
}
