package io.millrace.dataplane.cores;

import io.millrace.core.error.UserFrame;
import io.millrace.core.log.LogContext;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that runs in steps on the cores. At most one thread is inside {@link #step} at any time,
 * and a step sees what the previous one wrote.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>IDLE</td><td>wake</td><td>QUEUED</td></tr>
 * <tr><td>QUEUED</td><td>a thread takes the task</td><td>RUNNING</td></tr>
 * <tr><td>RUNNING</td><td>wake</td><td>WOKEN</td></tr>
 * <tr><td>RUNNING, WOKEN</td><td>the step returns MORE</td><td>QUEUED</td></tr>
 * <tr><td>RUNNING</td><td>the step returns IDLE</td><td>IDLE</td></tr>
 * <tr><td>WOKEN</td><td>the step returns IDLE</td><td>QUEUED</td></tr>
 * <tr><td>RUNNING, WOKEN</td><td>the step returns ENDED</td><td>ENDED</td></tr>
 * </table>
 *
 * <p>A task is therefore queued at most once, and no wake is lost: the caller of {@link #wake}
 * publishes its change before it reads the state, and a step looks for work after the state became
 * RUNNING.
 *
 * <p>No exception ends the steps silently. An exception of a step goes to {@link #fail}, and {@link
 * #end} follows the last step in any case; if one of them throws, it is called again until it
 * returns. An exception of a timer of the task goes to {@link #fail}, too.
 */
public abstract class Tasklet {
  /** The result of a step. */
  public enum StepResult {
    /** The task has more work. */
    MORE,
    /** The task has no work until the next wake. */
    IDLE,
    /** The task has ended. */
    ENDED
  }

  private static final Logger LOG = LoggerFactory.getLogger(Tasklet.class);

  /** Time until {@link #fail} or {@link #end} is called again after it threw. */
  private static final Duration END_RETRY_INTERVAL = Duration.ofMillis(100);

  private static final int IDLE = 0;
  private static final int QUEUED = 1;
  private static final int RUNNING = 2;
  private static final int WOKEN = 3;
  private static final int ENDED = 4;
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Tasklet.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final CoreScheduler cores;
  private final ClassLoader contextClasses;
  private volatile int state = IDLE;
  private volatile Thread blocked;
  private final Object runnerLock = new Object();
  private Thread runner;
  private CoreWorker worker;

  /** The core that queues the task; a stealing core changes it, and a stale value is harmless. */
  Core home;

  /** Whether the task runs on its own thread because it held a core too long. */
  boolean detached;

  int shortSteps;

  /** The number of steps so far; the state that a step leaves publishes it. */
  private long steps;

  private volatile ThreadPlacement placement = ThreadPlacement.CORE;

  /** The exception of a step, until {@link #fail} has returned. */
  private Throwable thrown;

  /** Whether only {@link #end} is left to call. */
  private boolean ending;

  protected Tasklet(CoreScheduler cores, ClassLoader contextClasses) {
    this.cores = cores;
    this.contextClasses = contextClasses;
    this.home = cores.nextHome();
  }

  /** The ids that log lines of its steps carry. */
  protected LogContext logContext() {
    return LogContext.NONE;
  }

  /** Does a bounded amount of work. One thread at a time calls it. An exception ends the task. */
  protected abstract StepResult step() throws Exception;

  /**
   * Records the failure of the task and wakes it, so that it ends. The first call counts. Any
   * thread may call it.
   */
  protected abstract void fail(Throwable cause);

  /**
   * Releases the resources of the task and reports its final state, after the last step. It is
   * called again if it throws, so it remembers its progress.
   */
  protected abstract void end() throws Exception;

  /** Wakes the task after a delay. */
  public final Future<?> wakeAfter(Duration delay) {
    return after(delay, this::wake);
  }

  /** Runs a short action on the timer thread; an exception fails the task. */
  public final Future<?> after(Duration delay, Runnable action) {
    return cores.after(
        delay,
        () -> {
          try {
            action.run();
          } catch (Throwable inTimer) {
            fail(inTimer);
          }
        });
  }

  /** Queues the task for its next step. Any thread may call it. */
  public final void wake() {
    while (true) {
      int seen = state;
      switch (seen) {
        case IDLE -> {
          if (STATE.compareAndSet(this, IDLE, QUEUED)) {
            cores.enqueue(this);
            return;
          }
        }
        case RUNNING -> {
          if (STATE.compareAndSet(this, RUNNING, WOKEN)) {
            LockSupport.unpark(blocked);
            return;
          }
        }
        case WOKEN -> {
          LockSupport.unpark(blocked);
          return;
        }
        default -> {
          return;
        }
      }
    }
  }

  public final boolean hasEnded() {
    return state == ENDED;
  }

  /**
   * The number of steps that the task has taken, if it waits for a wake or has ended; -1 if it has
   * work. Equal numbers of two calls mean that it has waited all the time between them.
   */
  public final long stepsIfWaiting() {
    int seen = state;
    return seen == IDLE || seen == ENDED ? steps : -1;
  }

  /** Interrupts the thread that runs a step; false if no step runs. */
  public final boolean interruptStep() {
    synchronized (runnerLock) {
      if (runner == null) {
        return false;
      }
      runner.interrupt();
      return true;
    }
  }

  /** The stack of the current step, empty if no step runs. */
  public final StackTraceElement[] stack() {
    // The lock keeps the step from ending, after which the thread runs a step of another task.
    synchronized (runnerLock) {
      return runner == null ? new StackTraceElement[0] : runner.getStackTrace();
    }
  }

  /** The stack of the current step and the state of its thread; empty if no step runs. */
  public final Optional<StepStack> stepStack() {
    synchronized (runnerLock) {
      if (runner == null) {
        return Optional.empty();
      }
      // First the state: the step may end meanwhile, and waits for this lock then.
      Thread.State now = runner.getState();
      return Optional.of(StepStack.of(runner.getStackTrace(), now));
    }
  }

  /** Whether the task has work, but no thread takes a step of it. */
  public final boolean awaitsCore() {
    return state == QUEUED;
  }

  /** The kind of thread of the current or last step. */
  public final ThreadPlacement placement() {
    return placement;
  }

  /** The line of the user's program in the current step, empty if no step runs. */
  public final Optional<String> userFrame() {
    return UserFrame.of(stack());
  }

  final void setPlacement(ThreadPlacement there) {
    // The first reason counts.
    if (placement.kind() != there.kind()) {
      placement = there;
    }
  }

  /**
   * Records the end of a step on a core. A task that holds cores for long keeps that placement
   * until several steps in a row were short.
   */
  final void stepOnCoreEnded(long start) {
    if (placement.kind() != ThreadPlacement.Kind.HOLDING) {
      placeOnCore();
    } else if (System.nanoTime() - start > CoreWorker.SHORT_STEP_NANOS) {
      shortSteps = 0;
    } else if (++shortSteps >= CoreWorker.SHORT_STEPS_TO_RETURN) {
      placeOnCore();
    }
  }

  final void placeOnCore() {
    if (placement.kind() != ThreadPlacement.Kind.CORE) {
      placement = ThreadPlacement.CORE;
    }
  }

  /**
   * Blocks inside a step until a condition holds; each wake checks it again. The core is donated
   * first.
   *
   * @param why the reason as text
   */
  protected final void block(String why, BooleanSupplier condition) {
    if (worker.donate(worker.step())) {
      cores.takeOwnThread();
      setPlacement(ThreadPlacement.of(ThreadPlacement.Kind.OWN, why, Optional.empty()));
    }
    boolean interrupted = false;
    blocked = Thread.currentThread();
    try {
      while (!condition.getAsBoolean()) {
        LockSupport.park(this);
        // A pending interrupt would make park return immediately; it is set again at the end.
        interrupted |= Thread.interrupted();
      }
    } finally {
      blocked = null;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  final StepResult run(CoreWorker on) {
    state = RUNNING;
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    worker = on;
    synchronized (runnerLock) {
      runner = thread;
    }
    thread.setContextClassLoader(contextClasses);
    logContext().enter();
    steps++;
    try {
      return advance();
    } finally {
      synchronized (runnerLock) {
        runner = null;
      }
      // An interrupt of this step must not reach the step of the next task.
      Thread.interrupted();
      thread.setContextClassLoader(before);
      worker = null;
    }
  }

  /** Resets the state of a task that could not be queued, so that the next wake queues it. */
  final void unqueue() {
    STATE.compareAndSet(this, QUEUED, IDLE);
  }

  /** The only caller of {@link #step} and {@link #end}. Throws nothing. */
  private StepResult advance() {
    try {
      if (!ending) {
        StepResult outcome = thrown == null ? attempt() : StepResult.ENDED;
        if (outcome != StepResult.ENDED) {
          return outcome;
        }
        if (thrown != null) {
          fail(thrown);
          thrown = null;
        }
        ending = true;
      }
      end();
      return StepResult.ENDED;
    } catch (Throwable again) {
      return retryEnd(again);
    }
  }

  private StepResult attempt() {
    try {
      return step();
    } catch (Throwable cause) {
      thrown = cause;
      return StepResult.ENDED;
    }
  }

  /** Calls {@link #end} again later: without the report of the task its job would wait. */
  private StepResult retryEnd(Throwable cause) {
    try {
      cores.after(END_RETRY_INTERVAL, this::wake);
      LOG.error("The end of {} failed; retrying", this, cause);
      return StepResult.IDLE;
    } catch (Throwable again) {
      // There was no memory for a timer; the next step tries again.
      return StepResult.MORE;
    }
  }

  /** Applies the result of a step; true if the task has to be queued again. */
  final boolean settle(StepResult outcome) {
    switch (outcome) {
      case MORE -> {
        state = QUEUED;
        return true;
      }
      case IDLE -> {
        if (STATE.compareAndSet(this, RUNNING, IDLE)) {
          return false;
        }
        state = QUEUED;
        return true;
      }
      case ENDED -> {
        state = ENDED;
        return false;
      }
    }
    throw new IllegalStateException("Unknown step result " + outcome);
  }
}
