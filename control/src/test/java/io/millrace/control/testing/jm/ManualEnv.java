package io.millrace.control.testing.jm;

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
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/** Everything in one thread on virtual time. Nothing happens until the test says so. */
public final class ManualEnv implements Env {
  private static final long EPOCH_MILLIS = 1_700_000_000_000L;

  private final PriorityQueue<Due> queue =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));
  private final Journal journal = new Journal(1L << 40, this::wallMillis);
  private long nanos;
  private long order;
  private ManualMailbox inside;

  private record Due(long at, long order, ManualMailbox mailbox, Runnable task) {}

  @Override
  public long wallMillis() {
    return EPOCH_MILLIS + nanos / 1_000_000;
  }

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public RandomGenerator random(String purpose) {
    return new Random(purpose.hashCode());
  }

  @Override
  public Mailbox mailbox(String name) {
    return new ManualMailbox(name);
  }

  @Override
  public Io io() {
    return this::call;
  }

  @Override
  public Journal journal() {
    return journal;
  }

  /** Runs everything that is due now, and what follows from it. */
  public void settle() {
    advance(Duration.ZERO);
  }

  /** Lets time pass, running what becomes due on the way. */
  public void advance(Duration time) {
    long end = nanos + time.toNanos();
    while (!queue.isEmpty() && queue.peek().at() <= end) {
      step();
    }
    nanos = end;
  }

  /** Lets time pass until something is so, at most for the time given. */
  public void advanceUntil(Duration limit, BooleanSupplier condition) {
    long end = nanos + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (queue.isEmpty() || queue.peek().at() > end) {
        throw new AssertionError("It did not happen within " + limit);
      }
      step();
    }
  }

  private void step() {
    Due due = queue.remove();
    nanos = Math.max(nanos, due.at());
    if (due.mailbox().closed) {
      return;
    }
    inside = due.mailbox();
    inside.cause = 0;
    try {
      due.task().run();
    } finally {
      inside = null;
    }
  }

  private <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    ManualMailbox elsewhere = new ManualMailbox("io");
    elsewhere.post(
        () -> {
          try {
            T value = work.call();
            replyTo.post(() -> result.complete(value));
          } catch (Exception e) {
            replyTo.post(() -> result.completeExceptionally(e));
          }
        });
    return result;
  }

  private final class ManualMailbox implements Mailbox {
    private final String name;
    private boolean closed;
    private long cause;

    ManualMailbox(String name) {
      this.name = name;
    }

    @Override
    public void post(Runnable task) {
      queue.add(new Due(nanos, order++, this, task));
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
      boolean[] cancelled = {false};
      queue.add(
          new Due(
              nanos + delay.toNanos(),
              order++,
              this,
              () -> {
                if (!cancelled[0]) {
                  task.run();
                }
              }));
      return () -> cancelled[0] = true;
    }

    @Override
    public void checkInside() {
      if (inside != this) {
        throw new IllegalStateException("Mailbox " + name + " entered from outside");
      }
    }

    @Override
    public long cause() {
      return cause;
    }

    @Override
    public void cause(long event) {
      cause = event;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
