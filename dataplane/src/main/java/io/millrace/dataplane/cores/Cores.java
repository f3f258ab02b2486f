package io.millrace.dataplane.cores;

import java.time.Duration;
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
 * The threads of a host. Each core has a queue of its own; a core that finds it empty takes from
 * the others and then sleeps until a task is queued. Nothing polls: the watchdog, too, stops when
 * all cores sleep.
 */
public final class Cores implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Cores.class);
  private static final long TICK_MILLIS = 10;
  private static final long LONG_STEP_NANOS = 20_000_000;

  /** How many threads long steps may take; a step that blocks in an emit always gets one. */
  private static final int MAX_OWN_THREADS = 256;

  private final Core[] cores;
  private final AtomicInteger sleeping = new AtomicInteger();
  private final AtomicInteger ownThreads = new AtomicInteger();
  private final AtomicInteger homes = new AtomicInteger();
  private final AtomicBoolean watching = new AtomicBoolean();
  private final ThreadPoolExecutor threads;
  private final ScheduledThreadPoolExecutor timer;
  private final CompletableFuture<Void> closing = new CompletableFuture<>();
  private volatile boolean closed;

  public Cores(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("A host has at least one core, not " + count);
    }
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
      Worker first = new Worker(this, core);
      core.owner = first;
      threads.execute(first);
    }
  }

  private static Thread daemon(Runnable run, String name) {
    Thread thread = new Thread(null, run, name, 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(Cores.class.getClassLoader());
    return thread;
  }

  public int count() {
    return cores.length;
  }

  /** Runs something short on the host's one timer thread. */
  public Future<?> after(Duration delay, Runnable action) {
    if (closed) {
      return CompletableFuture.completedFuture(null);
    }
    return timer.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  AtomicInteger ownThreads() {
    return ownThreads;
  }

  /** Runs something on a thread that has nothing of a job about it, and waits for it. */
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
   * Starts a worker from the timer's thread: a thread inherits the access context of the one that
   * creates it, and created from inside user code it would keep the job's class loader alive.
   */
  void start(Runnable worker) {
    onTimer(0, () -> execute(worker));
  }

  private void execute(Runnable worker) {
    try {
      threads.execute(worker);
    } catch (OutOfMemoryError e) {
      // No thread to be had; without another try a core would be lost for ever.
      LOG.error("No thread can be started, tried again soon", e);
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
      LOG.trace("Not started, the host is closing", e);
    }
  }

  void enqueue(Stepped task) {
    if (closed) {
      return;
    }
    if (task.detached && ownThreads.get() < MAX_OWN_THREADS) {
      start(
          () -> {
            ownThreads.incrementAndGet();
            try {
              new Worker(this, task.home).startAlone(task);
            } finally {
              ownThreads.decrementAndGet();
            }
          });
      return;
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

  Stepped next(Core core) {
    Stepped task = core.queue.poll();
    if (task != null) {
      return task;
    }
    for (int i = 1; i < cores.length; i++) {
      Stepped stolen = cores[(core.index + i) % cores.length].queue.poll();
      if (stolen != null) {
        stolen.home = core;
        return stolen;
      }
    }
    return null;
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
    // Who queued before the announcement did not see it, so its task is looked for once more.
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
    if (sleeping.get() == 0 && anythingQueued()) {
      long now = System.nanoTime();
      for (Core core : cores) {
        if (core.owner.holdsCoreFor(now) > LONG_STEP_NANOS
            && ownThreads.get() < MAX_OWN_THREADS
            && core.owner.donate()) {
          LOG.debug("Core {} goes on without a step that holds it for long", core.index);
        }
      }
    }
    onTimer(TICK_MILLIS, this::watch);
  }

  /** Ends all threads that are not inside a user's call and waits for them, within a bound. */
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
