package io.millrace.dataplane.cores;

import io.millrace.dataplane.cores.Tasklet.StepResult;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread's turn at a core. It ends when the core was given to another worker in the middle of a
 * step; the thread then belongs to that step's task until the task is well-behaved again.
 */
final class CoreWorker implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CoreWorker.class);
  static final long SHORT_STEP_NANOS = 2_000_000;
  static final int SHORT_STEPS_TO_RETURN = 8;

  /** Marks a step whose core has gone to another worker. */
  private static final long LOST = -1;

  private final CoreScheduler cores;
  private final Core core;

  /**
   * When the step in progress began, 0 between steps, LOST when the core was given away during it.
   * Whoever changes it first decides: the step's end, or one that gives the core away.
   */
  private final AtomicLong stepStart = new AtomicLong();

  /** Written before the step begins. */
  private volatile Tasklet task;

  private volatile ThreadProbe probe;

  /** For how long the thread had waited for a processor when that was last asked. */
  private long starved;

  CoreWorker(CoreScheduler cores, Core core) {
    this.cores = cores;
    this.core = core;
  }

  @Override
  public void run() {
    Thread.currentThread().setName("millrace-core-" + core.index);
    probe = KernelThreadProbe.ofCurrentThread();
    boolean owns = true;
    while (owns && !cores.isClosed()) {
      try {
        owns = turn();
      } catch (Throwable thrown) {
        LOG.error("Core {} goes on after an error that no task threw", core.index, thrown);
        owns = core.owner == this;
      }
    }
  }

  /** Runs one task; false if the core went to another worker meanwhile. */
  private boolean turn() {
    Tasklet next = cores.next(core);
    if (next == null) {
      cores.idle(core);
      return true;
    }
    task = next;
    long start = Math.max(1, System.nanoTime());
    stepStart.set(start);
    StepResult outcome = next.run(this);
    // An idle worker must not keep a job's classes alive.
    task = null;
    if (!stepStart.compareAndSet(start, 0)) {
      next.detached = true;
      next.shortSteps = 0;
      try {
        runAlone(next, outcome);
      } finally {
        cores.returnOwnThread();
      }
      return false;
    }
    if (!next.detached) {
      next.stepOnCoreEnded(start);
    }
    if (next.settle(outcome)) {
      cores.enqueue(next);
    }
    return true;
  }

  /** Begins on a thread that was started for a task that needs its own. */
  void startAlone(Tasklet alone) {
    probe = KernelThreadProbe.ofCurrentThread();
    runAlone(alone, stepAlone(alone));
  }

  /** Runs a detached task on this thread until it is idle or may go back to the cores. */
  private void runAlone(Tasklet alone, StepResult last) {
    Thread.currentThread().setName("millrace-own");
    StepResult outcome = last;
    while (alone.settle(outcome)) {
      if (!alone.detached || cores.isClosed()) {
        cores.enqueue(alone);
        return;
      }
      outcome = stepAlone(alone);
    }
  }

  private StepResult stepAlone(Tasklet alone) {
    long start = System.nanoTime();
    StepResult outcome = alone.run(this);
    if (isShort(System.nanoTime() - start)) {
      if (++alone.shortSteps >= SHORT_STEPS_TO_RETURN) {
        alone.detached = false;
        alone.placeOnCore();
      }
    } else {
      alone.shortSteps = 0;
    }
    return outcome;
  }

  /** A step is not long only because others had the processors meanwhile. */
  private boolean isShort(long took) {
    if (took <= SHORT_STEP_NANOS) {
      return true;
    }
    long before = starved;
    starved = probe.starvedNanos();
    return took - (starved - before) <= SHORT_STEP_NANOS;
  }

  /** When the step in progress began; not positive if none holds the core. */
  long step() {
    return stepStart.get();
  }

  /** What the step in progress belongs to; null if there is none. */
  Tasklet task() {
    return task;
  }

  ThreadProbe probe() {
    return probe;
  }

  /**
   * Gives the core of the step in progress to a fresh thread; false if there is no such step or it
   * has none. Called by the worker's own thread before it blocks, and by the watchdog.
   *
   * @param step when the step began that is meant
   */
  boolean donate(long step) {
    if (step <= 0 || !stepStart.compareAndSet(step, LOST)) {
      return false;
    }
    CoreWorker next = new CoreWorker(cores, core);
    core.owner = next;
    cores.start(next);
    return true;
  }
}
