package io.millrace.control.testing;

import io.millrace.rpc.Env;
import io.millrace.rpc.Io;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.journal.Journal;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** Virtual time and one queue. Nothing runs but in {@link #settle} and {@link #advance}. */
public final class ManualEnv implements Env {
  private record Due(long at, long number, Box box, Runnable task) {}

  private final PriorityQueue<Due> queue =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::number));
  private final Journal journal = new Journal(1L << 40, this::wallMillis);
  private long now = 1_000_000_000L;
  private long numbers;
  private Box running;

  /** Runs what is due now, and what that makes due now. */
  public void settle() {
    runUntil(now);
  }

  public void advance(Duration by) {
    long until = now + by.toNanos();
    runUntil(until);
    now = until;
  }

  /** Runs one thing in a mailbox, and all that follows from it now. */
  public void in(Mailbox mailbox, Runnable task) {
    mailbox.post(task);
    settle();
  }

  private void runUntil(long until) {
    while (!queue.isEmpty() && queue.peek().at() <= until) {
      Due next = queue.poll();
      now = Math.max(now, next.at());
      if (next.box().closed) {
        continue;
      }
      running = next.box();
      running.cause = 0;
      try {
        next.task().run();
      } finally {
        running = null;
      }
    }
  }

  @Override
  public long wallMillis() {
    return now / 1_000_000;
  }

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public RandomGenerator random(String purpose) {
    return new Random(purpose.hashCode() + numbers++);
  }

  @Override
  public Mailbox mailbox(String name) {
    return new Box();
  }

  @Override
  public Io io() {
    return this::call;
  }

  private <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    replyTo.post(
        () -> {
          try {
            result.complete(work.call());
          } catch (Exception e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  @Override
  public Journal journal() {
    return journal;
  }

  private final class Box implements Mailbox {
    private boolean closed;
    private long cause;

    @Override
    public void post(Runnable task) {
      queue.add(new Due(now, numbers++, this, task));
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
      boolean[] cancelled = {false};
      Runnable unlessCancelled =
          () -> {
            if (!cancelled[0]) {
              task.run();
            }
          };
      queue.add(new Due(now + delay.toNanos(), numbers++, this, unlessCancelled));
      return () -> cancelled[0] = true;
    }

    @Override
    public void checkInside() {
      if (running != this) {
        throw new IllegalStateException("Not inside this mailbox");
      }
    }

    @Override
    public long cause() {
      return running == this ? cause : 0;
    }

    @Override
    public void cause(long event) {
      checkInside();
      cause = event;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
