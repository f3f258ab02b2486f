package io.millrace.dataplane.cores;

import io.millrace.dataplane.cores.Tasklet.StepResult;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tasks of a core on one thread. It ends when the core is donated to another worker during
 * a step; the thread then belongs to the task of that step until its steps are short again.
 */
final class CoreWorker implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CoreWorker.class);
  static final long SHORT_STEP_NANOS = 2_000_000;
  static final int SHORT_STEPS_TO_RETURN = 8;

  /** Marks a step whose core was donated. */
  private static final long LOST = -1;

  private final CoreScheduler cores;
  private final Core core;

  /**
   * The start time of the current step, 0 between steps, LOST if the core was donated during the
   * step. The end of the step and a donation compete for the change; the first one wins.
   */
  private final AtomicLong stepStart = new AtomicLong();

  /** The task of the current step; written before the step starts. */
  private volatile Tasklet task;

  private volatile ThreadProbe probe;

  /** The time that the thread had waited for a processor at the last check. */
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
        LOG.error("Core {} continues after an error outside of tasks", core.index, thrown);
        owns = core.owner == this;
      }
    }
  }

  /** Runs one task; false if the core was donated meanwhile. */
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
    // An idle worker must not keep the classes of a job alive.
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

  /** Starts on a thread that was created for a task with its own thread. */
  void startAlone(Tasklet alone) {
    probe = KernelThreadProbe.ofCurrentThread();
    runAlone(alone, stepAlone(alone));
  }

  /** Runs a detached task on this thread until it is idle or returns to the cores. */
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

  /** Whether a step was short, not counting the time that it waited for a processor. */
  private boolean isShort(long took) {
    if (took <= SHORT_STEP_NANOS) {
      return true;
    }
    long before = starved;
    starved = probe.starvedNanos();
    return took - (starved - before) <= SHORT_STEP_NANOS;
  }

  /** The start time of the current step; 0 or less if no step holds the core. */
  long step() {
    return stepStart.get();
  }

  /** The task of the current step; null if there is none. */
  Tasklet task() {
    return task;
  }

  ThreadProbe probe() {
    return probe;
  }

  /**
   * Donates the core of the current step to a new thread; false if the step has ended or has no
   * core. The worker's thread calls it before it blocks, and the watchdog.
   *
   * @param step the start time of the step
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
