package io.millrace.dataplane.cores;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules tasklets on core threads. Each core has its own queue. A core with an empty queue
 * steals from the others and then sleeps until a task is queued. Nothing polls: the watchdog stops
 * while all cores sleep.
 */
public final class CoreScheduler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CoreScheduler.class);
  private static final long TICK_MILLIS = TimeUnit.NANOSECONDS.toMillis(Watchdog.TICK_NANOS);

  /** The number of turns after which a core compares its queue with the others. */
  private static final int TURNS_TO_BALANCE = 16;

  /** A smaller surplus stays: the data of these tasks is in the cache of their core. */
  private static final int SURPLUS_TO_BALANCE = 2;

  private static final int MAX_MOVED = 64;

  private final Core[] cores;
  private final int mostOwnThreads;
  private final Watchdog watchdog;
  private final AtomicInteger sleeping = new AtomicInteger();
  private final AtomicInteger ownThreads = new AtomicInteger();
  private final AtomicInteger homes = new AtomicInteger();
  private final AtomicBoolean watching = new AtomicBoolean(true);
  private final ThreadPoolExecutor threads;
  private final ScheduledThreadPoolExecutor timer;
  private final CompletableFuture<Void> closing = new CompletableFuture<>();
  private volatile boolean closed;

  /**
   * @param mostOwnThreads the maximum number of tasks with own threads because of long steps; a
   *     step that blocks in an emit always gets one, because its consumer may need the core
   */
  public CoreScheduler(int count, int mostOwnThreads) {
    if (count < 1) {
      throw new IllegalArgumentException("cores must be >= 1, not " + count);
    }
    if (mostOwnThreads < 0) {
      throw new IllegalArgumentException("mostOwnThreads must be >= 0, not " + mostOwnThreads);
    }
    this.mostOwnThreads = mostOwnThreads;
    watchdog = new Watchdog(count);
    cores = new Core[count];
    for (int i = 0; i < count; i++) {
      cores[i] = new Core(i);
    }
    threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            5,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            run -> daemon(run, "millrace-own"));
    timer = new ScheduledThreadPoolExecutor(1, run -> daemon(run, "millrace-timer"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.prestartCoreThread();
    for (Core core : cores) {
      CoreWorker first = new CoreWorker(this, core);
      core.owner = first;
      threads.execute(first);
    }
    // A task that is queued before a core first sleeps does not start the watchdog.
    onTimer(TICK_MILLIS, this::watch);
  }

  private static Thread daemon(Runnable run, String name) {
    Thread thread = new Thread(null, run, name, 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(CoreScheduler.class.getClassLoader());
    return thread;
  }

  public int count() {
    return cores.length;
  }

  /** Runs a short action on the timer thread. */
  public Future<?> after(Duration delay, Runnable action) {
    if (closed) {
      return CompletableFuture.completedFuture(null);
    }
    try {
      return timer.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.trace("No timer: the scheduler is closing", e);
      return CompletableFuture.completedFuture(null);
    }
  }

  /** The number of tasks with own threads. */
  public int ownThreads() {
    return ownThreads.get();
  }

  public int mostOwnThreads() {
    return mostOwnThreads;
  }

  /** Counts an own thread, even above the limit. */
  void takeOwnThread() {
    ownThreads.incrementAndGet();
  }

  void returnOwnThread() {
    ownThreads.decrementAndGet();
  }

  private boolean mayTakeOwnThread() {
    int taken = ownThreads.get();
    while (taken < mostOwnThreads) {
      if (ownThreads.compareAndSet(taken, taken + 1)) {
        return true;
      }
      taken = ownThreads.get();
    }
    return false;
  }

  /** Runs an action on a thread without a job's class loader, and waits for it. */
  public void outside(Runnable action) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    start(
        () -> {
          try {
            action.run();
            done.complete(null);
          } catch (Throwable thrown) {
            done.completeExceptionally(thrown);
          }
        });
    closing.whenComplete((nothing, never) -> done.cancel(false));
    done.join();
  }

  boolean isClosed() {
    return closed;
  }

  Core nextHome() {
    return cores[Math.floorMod(homes.getAndIncrement(), cores.length)];
  }

  /**
   * Starts a worker from the timer thread. A thread inherits the access context of its creator;
   * created from user code, it would keep the job's class loader alive.
   */
  void start(Runnable worker) {
    onTimer(0, () -> execute(worker));
  }

  private void execute(Runnable worker) {
    try {
      threads.execute(worker);
    } catch (RejectedExecutionException e) {
      LOG.trace("Not started: the scheduler is closing", e);
    } catch (Throwable e) {
      // No thread can be started. Without a retry the core would be lost.
      LOG.error("No thread can be started; retrying", e);
      onTimer(TICK_MILLIS, () -> execute(worker));
    }
  }

  private void onTimer(long delayMillis, Runnable action) {
    try {
      timer.schedule(action, delayMillis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      if (!closed) {
        throw e;
      }
      LOG.trace("Not started: the scheduler is closing", e);
    }
  }

  void enqueue(Tasklet task) {
    if (closed) {
      return;
    }
    try {
      queueOrDetach(task);
    } catch (Throwable thrown) {
      LOG.error("{} cannot be queued; retrying", task, thrown);
      task.unqueue();
      onTimer(TICK_MILLIS, task::wake);
    }
  }

  private void queueOrDetach(Tasklet task) {
    if (task.detached) {
      if (mayTakeOwnThread()) {
        start(
            () -> {
              try {
                new CoreWorker(this, task.home).startAlone(task);
              } finally {
                returnOwnThread();
              }
            });
        return;
      }
      ThreadPlacement before = task.placement();
      task.setPlacement(
          ThreadPlacement.of(ThreadPlacement.Kind.DENIED, before.why(), before.frame()));
    }
    Core home = task.home;
    home.queue.offer(task);
    if (sleeping.get() > 0) {
      signalOne(home);
    }
  }

  private void signalOne(Core preferred) {
    if (signal(preferred)) {
      return;
    }
    for (Core core : cores) {
      if (signal(core)) {
        return;
      }
    }
  }

  private boolean signal(Core core) {
    if (!core.signal()) {
      return false;
    }
    sleeping.decrementAndGet();
    if (!watching.get() && watching.compareAndSet(false, true)) {
      onTimer(TICK_MILLIS, this::watch);
    }
    return true;
  }

  Tasklet next(Core core) {
    if (++core.turns % TURNS_TO_BALANCE == 0) {
      balance(core);
    }
    Tasklet task = core.queue.poll();
    if (task != null) {
      return task;
    }
    for (int i = 1; i < cores.length; i++) {
      Tasklet stolen = cores[(core.index + i) % cores.length].queue.poll();
      if (stolen != null) {
        stolen.home = core;
        return stolen;
      }
    }
    return null;
  }

  /**
   * Takes tasks from a core with a much longer queue. Stealing alone does not help: a core with one
   * task that always has work never finds its queue empty.
   */
  private void balance(Core core) {
    for (int i = 1; i < cores.length; i++) {
      Core other = cores[(core.index + i) % cores.length];
      int own = core.queue.size();
      int surplus = other.queue.size() - own;
      if (surplus > Math.max(SURPLUS_TO_BALANCE, own / 4)) {
        for (int n = Math.min(surplus / 2, MAX_MOVED); n > 0; n--) {
          Tasklet moved = other.queue.poll();
          if (moved == null) {
            return;
          }
          moved.home = core;
          core.queue.offer(moved);
        }
      }
    }
  }

  private boolean anythingQueued() {
    for (Core core : cores) {
      if (!core.queue.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Sleeps until a task is queued. */
  void idle(Core core) {
    sleeping.incrementAndGet();
    core.announceSleep();
    // A task that was queued before the announcement sent no signal, so look once more.
    if (closed || anythingQueued()) {
      signal(core);
    }
    core.sleep();
  }

  private void watch() {
    if (closed) {
      return;
    }
    if (sleeping.get() == cores.length) {
      watching.set(false);
      // A core that was signalled in between saw `watching` still set.
      if (sleeping.get() == cores.length || !watching.compareAndSet(false, true)) {
        return;
      }
    }
    try {
      boolean wanted = sleeping.get() == 0 && anythingQueued();
      for (Core core : cores) {
        watch(core, wanted);
      }
    } catch (Throwable thrown) {
      LOG.error("The watchdog of the cores failed and continues", thrown);
    } finally {
      onTimer(TICK_MILLIS, this::watch);
    }
  }

  private void watch(Core core, boolean wanted) {
    CoreWorker holder = core.owner;
    long step = holder.step();
    long now = System.nanoTime();
    if (step <= 0 || !watchdog.isLong(core.index, holder, step, holder.probe(), now)) {
      return;
    }
    Tasklet task = holder.task();
    if (!wanted) {
      if (task != null && task.placement().kind() == ThreadPlacement.Kind.CORE) {
        task.setPlacement(held(ThreadPlacement.Kind.HOLDING, task, now - step));
      }
      return;
    }
    if (task == null || !mayTakeOwnThread()) {
      if (task != null && task.placement().isOnCore()) {
        task.setPlacement(held(ThreadPlacement.Kind.DENIED, task, now - step));
      }
      return;
    }
    ThreadPlacement own = held(ThreadPlacement.Kind.OWN, task, now - step);
    // Set before the donation: afterwards the task itself reports its return.
    task.setPlacement(own);
    if (holder.donate(step)) {
      LOG.debug(
          "Core {} continues without a task that {}", core.index, own.reason(Optional.empty()));
    } else {
      task.placeOnCore();
      returnOwnThread();
    }
  }

  private static ThreadPlacement held(ThreadPlacement.Kind kind, Tasklet task, long nanos) {
    return ThreadPlacement.of(
        kind,
        "held its core for " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms",
        task.userFrame());
  }

  /** Ends all threads that are not in user code and waits for them, with a time limit. */
  @Override
  public void close() {
    closed = true;
    timer.shutdownNow();
    closing.complete(null);
    threads.shutdown();
    for (Core core : cores) {
      core.signal();
    }
    boolean interrupted = false;
    try {
      if (!threads.awaitTermination(2, TimeUnit.SECONDS)) {
        threads.shutdownNow();
        if (!threads.awaitTermination(3, TimeUnit.SECONDS)) {
          LOG.warn("{} threads are still in user code", threads.getActiveCount());
        }
      }
      timer.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      threads.shutdownNow();
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
