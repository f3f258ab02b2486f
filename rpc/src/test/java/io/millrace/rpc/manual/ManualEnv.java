package io.millrace.rpc.manual;

import io.millrace.rpc.Env;
import io.millrace.rpc.IoExecutor;
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

/** An {@link Env} in one thread on virtual time. Nothing runs until the test advances it. */
public final class ManualEnv implements Env {
  private static final long EPOCH_MILLIS = 1_700_000_000_000L;
  private static final int MAX_STEPS = 200_000;

  /** The duration of blocking work that begins now. */
  public Duration ioTime = Duration.ZERO;

  private final PriorityQueue<Due> queue =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::number));
  private final Journal journal = new Journal(1L << 40, this::wallMillis);
  private long now;
  private long numbers;
  private Box inside;

  private record Due(long at, long number, Box box, Runnable task) {}

  /** Runs everything that is due now, and everything that follows from it. */
  public void settle() {
    advance(Duration.ZERO);
  }

  /** Advances the time and runs what becomes due. */
  public void advance(Duration time) {
    long end = now + time.toNanos();
    int steps = 0;
    while (step(end)) {
      if (++steps > MAX_STEPS) {
        throw new AssertionError("More than " + MAX_STEPS + " steps: the tasks do not end");
      }
    }
    now = end;
  }

  /**
   * Advances the time without running anything, like a frozen process. Tasks that became due run
   * late.
   */
  public void freeze(Duration time) {
    now += time.toNanos();
  }

  /** Advances the time until the condition holds, at most by the limit. */
  public void advanceUntil(Duration limit, BooleanSupplier condition) {
    long end = now + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (!step(end)) {
        throw new AssertionError("The condition does not hold after " + limit);
      }
    }
  }

  /** Runs a task in a mailbox, and everything that follows from it now. */
  public void in(Mailbox mailbox, Runnable task) {
    mailbox.post(task);
    settle();
  }

  /** Runs what is due and returns the result, which must be complete by then. */
  public <T> T answer(CompletableFuture<T> future) {
    settle();
    if (!future.isDone()) {
      throw new AssertionError("The future is not complete");
    }
    return future.join();
  }

  private boolean step(long end) {
    if (queue.isEmpty() || queue.peek().at() > end) {
      return false;
    }
    Due next = queue.remove();
    now = Math.max(now, next.at());
    if (!next.box().closed) {
      inside = next.box();
      inside.cause = 0;
      try {
        next.task().run();
      } finally {
        inside = null;
      }
    }
    return true;
  }

  @Override
  public long wallMillis() {
    return EPOCH_MILLIS + now / 1_000_000;
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
    return new Box(name);
  }

  @Override
  public IoExecutor io() {
    return this::call;
  }

  private <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    mailbox("io")
        .after(
            ioTime,
            () -> {
              try {
                T value = work.call();
                replyTo.post(() -> result.complete(value));
              } catch (Exception | LinkageError e) {
                replyTo.post(() -> result.completeExceptionally(e));
              }
            });
    return result;
  }

  @Override
  public Journal journal() {
    return journal;
  }

  private final class Box implements Mailbox {
    private final String name;
    private boolean closed;
    private long cause;

    Box(String name) {
      this.name = name;
    }

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
      if (inside != this) {
        throw new IllegalStateException("Outside of mailbox " + name);
      }
    }

    @Override
    public long cause() {
      return inside == this ? cause : 0;
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
