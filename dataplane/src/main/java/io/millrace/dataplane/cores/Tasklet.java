package io.millrace.dataplane.cores;

import io.millrace.core.error.UserFrame;
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
 * Something that runs in steps on the cores. At most one thread is inside {@link #step} at any
 * time, and what one step wrote the next one sees.
 *
 * <p>States: IDLE → QUEUED (wake); QUEUED → RUNNING (a thread takes it); RUNNING → WOKEN (wake
 * during the step); RUNNING | WOKEN → QUEUED | IDLE | ENDED (the step's outcome; a WOKEN one never
 * becomes IDLE). ENDED is final. A task is therefore queued at most once, and no wake is lost: who
 * wakes has published its change before it reads the state, and a step reads what there is to do
 * after the state became RUNNING.
 *
 * <p>No exception or error ends the steps silently. What a step throws goes to {@link #fail}, and
 * {@link #end} follows the last step, whichever way the steps ended; if either throws, it is called
 * again until it returns. What a timer of the task throws goes to {@link #fail} too.
 */
public abstract class Tasklet {
  /** What a step ended with. */
  public enum StepResult {
    /** There is more to do at once. */
    MORE,
    /** Nothing to do until the next wake. */
    IDLE,
    /** Never again. */
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

  /** Where it is queued; a hint that a stealing core changes, so a stale value does no harm. */
  Core home;

  /** Whether it runs on threads of its own because it held a core too long. */
  boolean detached;

  int shortSteps;

  private volatile ThreadPlacement placement = ThreadPlacement.CORE;

  /** What a step threw, until {@link #fail} has taken it. */
  private Throwable thrown;

  /** Whether there are no more steps and only {@link #end} is left. */
  private boolean ending;

  protected Tasklet(CoreScheduler cores, ClassLoader contextClasses) {
    this.cores = cores;
    this.contextClasses = contextClasses;
    this.home = cores.nextHome();
  }

  /** Does a bounded amount of work; called by one thread at a time. A throw is its last step. */
  protected abstract StepResult step() throws Exception;

  /**
   * Records why the task cannot go on and wakes it, so that it ends. The first call counts; any
   * thread may call it.
   */
  protected abstract void fail(Throwable cause);

  /**
   * Releases what the task holds and reports its outcome; after the last step. Called again if it
   * throws, so it remembers what is done.
   */
  protected abstract void end() throws Exception;

  /** Wakes the task after a while. */
  public final Future<?> wakeAfter(Duration delay) {
    return after(delay, this::wake);
  }

  /** Runs something short for the task on the timer's thread; what it throws fails the task. */
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

  /** Has the next step run soon; any thread may call it. */
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

  /** Interrupts the thread that is inside a step just now, if there is one. */
  public final boolean interruptStep() {
    synchronized (runnerLock) {
      if (runner == null) {
        return false;
      }
      runner.interrupt();
      return true;
    }
  }

  /** The stack of the step in progress, empty if there is none. */
  public final StackTraceElement[] stack() {
    Thread thread;
    synchronized (runnerLock) {
      thread = runner;
    }
    return thread == null ? new StackTraceElement[0] : thread.getStackTrace();
  }

  /** On what kind of thread it runs, or ran last. */
  public final ThreadPlacement placement() {
    return placement;
  }

  /** The line of the user's program that the step in progress is in, empty if there is no step. */
  public final Optional<String> userFrame() {
    return UserFrame.of(stack());
  }

  final void setPlacement(ThreadPlacement there) {
    // It stays where it is for the first reason.
    if (placement.kind() != there.kind()) {
      placement = there;
    }
  }

  /**
   * Notes the end of a step on a core. A task that holds cores for long is known as such until some
   * steps in a row were short: most of its steps may take a second each.
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
   * Blocks inside a step until the condition holds, which is asked again after every wake. The core
   * goes to another thread first.
   *
   * @param why it has to, for people
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
        // A pending interrupt would turn the park into a spin; it is put back at the end.
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
    try {
      return advance();
    } finally {
      synchronized (runnerLock) {
        runner = null;
      }
      // An interrupt was meant for this step and must not reach the next task's.
      Thread.interrupted();
      thread.setContextClassLoader(before);
      worker = null;
    }
  }

  /** It is in no queue although its state says so: the next wake queues it. */
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

  /** Only the task itself can say that it has ended, so giving up would leave its job waiting. */
  private StepResult retryEnd(Throwable cause) {
    try {
      cores.after(END_RETRY_INTERVAL, this::wake);
      LOG.error("The end of {} failed and is tried again", this, cause);
      return StepResult.IDLE;
    } catch (Throwable again) {
      // Without memory for a timer there may be some in the next step.
      return StepResult.MORE;
    }
  }

  /** Ends a step: true if the task is to be queued again. */
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
    throw new IllegalStateException("No outcome " + outcome);
  }
}
