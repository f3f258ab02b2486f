package io.millrace.worker.testing;

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

/** One thread and a clock that moves when told. */
public final class ManualEnv implements Env {
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
  private final Random random = new Random(7);
  private final Journal journal = new Journal(1, this::wallMillis);

  /** How long blocking work takes that begins now. */
  public Duration ioTime = Duration.ZERO;

  private long now;
  private long number;

  private record Event(long time, long number, Runnable task) {}

  /** Runs everything that is due now. */
  public void run() {
    advance(Duration.ZERO);
  }

  /** Lets time pass and runs what becomes due. */
  public void advance(Duration by) {
    long until = now + by.toNanos();
    int steps = 0;
    while (!events.isEmpty() && events.peek().time() <= until) {
      Event next = events.poll();
      now = Math.max(now, next.time());
      next.task().run();
      if (++steps > 200_000) {
        throw new AssertionError("This does not come to rest");
      }
    }
    now = until;
  }

  /** Runs what is due and returns the answer, which has to be there then. */
  public <T> T answer(CompletableFuture<T> future) {
    run();
    if (!future.isDone()) {
      throw new AssertionError("There is no answer yet");
    }
    return future.join();
  }

  @Override
  public long wallMillis() {
    return 1_000_000 + now / 1_000_000;
  }

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public RandomGenerator random(String purpose) {
    return random;
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

  private <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    schedule(
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

  private void schedule(Duration delay, Runnable task) {
    events.add(new Event(now + delay.toNanos(), number++, task));
  }

  private final class ManualMailbox implements Mailbox {
    private final String name;
    private boolean inside;
    private boolean closed;
    private long cause;

    ManualMailbox(String name) {
      this.name = name;
    }

    @Override
    public void post(Runnable task) {
      schedule(Duration.ZERO, () -> enter(task));
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
      boolean[] cancelled = new boolean[1];
      schedule(
          delay,
          () -> {
            if (!cancelled[0]) {
              enter(task);
            }
          });
      return () -> cancelled[0] = true;
    }

    private void enter(Runnable task) {
      if (closed) {
        return;
      }
      inside = true;
      cause = 0;
      try {
        task.run();
      } finally {
        inside = false;
      }
    }

    @Override
    public void checkInside() {
      if (!inside) {
        throw new IllegalStateException("Outside of mailbox " + name);
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
