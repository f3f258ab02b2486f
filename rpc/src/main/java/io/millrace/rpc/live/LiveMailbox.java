package io.millrace.rpc.live;

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

/** A mailbox that borrows a thread of a shared pool while it has something to run. */
final class LiveMailbox implements Mailbox {
  private static final Logger LOG = LoggerFactory.getLogger(LiveMailbox.class);

  /** After this many tasks the thread goes to the next mailbox, so that a busy one starves none. */
  private static final int FAIR_SHARE = 64;

  private final String name;
  private final Executor threads;
  private final ScheduledExecutorService timers;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile Thread inside;
  private volatile boolean closed;
  private long cause;

  LiveMailbox(String name, Executor threads, ScheduledExecutorService timers) {
    this.name = name;
    this.threads = threads;
    this.timers = timers;
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
        LOG.debug("{} gets no more timers: the process is stopping", name);
      }
    }
    return delayed;
  }

  @Override
  public void checkInside() {
    if (Thread.currentThread() != inside) {
      throw new IllegalStateException(
          "Mailbox " + name + " entered from thread " + Thread.currentThread().getName());
    }
  }

  @Override
  public long cause() {
    return Thread.currentThread() == inside ? cause : 0;
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
        LOG.debug("{} runs nothing more: the process is stopping", name);
      }
    }
  }

  private void drain() {
    inside = Thread.currentThread();
    try {
      Runnable task;
      for (int i = 0; i < FAIR_SHARE && !closed && (task = tasks.poll()) != null; i++) {
        cause = 0;
        try {
          task.run();
        } catch (RuntimeException | LinkageError e) {
          LOG.error("A task of mailbox {} failed", name, e);
        }
      }
    } finally {
      inside = null;
      scheduled.set(false);
      if (closed) {
        // What was posted while the mailbox closed slipped in after the others had been dropped.
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
