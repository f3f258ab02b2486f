package io.millrace.rpc.live;

import io.millrace.core.log.LogContext;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A mailbox that occupies a thread of a shared pool only while it has tasks. */
final class LiveMailbox implements Mailbox {
  private static final Logger LOG = LoggerFactory.getLogger(LiveMailbox.class);

  /**
   * After this many tasks the thread moves on to the next mailbox, so that a busy one does not
   * starve others.
   */
  private static final int MAX_TASKS_PER_TURN = 64;

  private final String name;
  private final LogContext context;
  private final Executor threads;
  private final ScheduledExecutorService timers;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile Thread current;
  private volatile boolean closed;
  private long cause;

  LiveMailbox(String name, LogContext context, Executor threads, ScheduledExecutorService timers) {
    this.name = name;
    this.context = context;
    this.threads = threads;
    this.timers = timers;
  }

  /** The ids that lines about its tasks carry. */
  LogContext context() {
    return context;
  }

  @Override
  public void post(Runnable task) {
    if (!closed) {
      tasks.add(task);
      schedule();
    }
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    Delayed delayed = new Delayed(task);
    if (!closed) {
      try {
        delayed.due = timers.schedule(() -> post(delayed), delay.toNanos(), TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("Mailbox {} sets no timer: the process is stopping", name);
      }
    }
    return delayed;
  }

  @Override
  public void checkInside() {
    if (Thread.currentThread() != current) {
      throw new IllegalStateException(
          "Mailbox " + name + " entered from thread " + Thread.currentThread().getName());
    }
  }

  @Override
  public long cause() {
    return Thread.currentThread() == current ? cause : 0;
  }

  @Override
  public void cause(long event) {
    checkInside();
    cause = event;
  }

  @Override
  public void close() {
    closed = true;
    tasks.clear();
  }

  private void schedule() {
    if (scheduled.compareAndSet(false, true)) {
      try {
        threads.execute(this::drain);
      } catch (RejectedExecutionException e) {
        LOG.debug("Mailbox {} runs no task: the process is stopping", name);
      }
    }
  }

  private void drain() {
    current = Thread.currentThread();
    context.enter();
    try {
      Runnable task;
      for (int i = 0; i < MAX_TASKS_PER_TURN && !closed && (task = tasks.poll()) != null; i++) {
        cause = 0;
        try {
          task.run();
        } catch (RuntimeException | LinkageError e) {
          LOG.error("A task of mailbox {} failed", name, e);
        }
      }
    } finally {
      context.leave();
      current = null;
      scheduled.set(false);
      if (closed) {
        // Tasks that were posted concurrently with close() may have been added after its clear().
        tasks.clear();
      } else if (!tasks.isEmpty()) {
        schedule();
      }
    }
  }

  private static final class Delayed implements Timer, Runnable {
    private final Runnable task;
    private volatile ScheduledFuture<?> due;
    private volatile boolean cancelled;

    Delayed(Runnable task) {
      this.task = task;
    }

    @Override
    public void cancel() {
      cancelled = true;
      ScheduledFuture<?> pending = due;
      if (pending != null) {
        pending.cancel(false);
      }
    }

    @Override
    public void run() {
      if (!cancelled) {
        task.run();
      }
    }
  }
}
