package io.millrace.bench.scale;

import io.millrace.rpc.Env;
import io.millrace.rpc.IoExecutor;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Transport;
import io.millrace.rpc.journal.Journal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** A process in the {@link VirtualWorld}. */
final class VirtualProcess implements Env {
  private static final long IO_NANOS = 1_000_000;

  private final VirtualWorld world;
  private final String name;
  private final CostMeter meter;
  private final Journal journal;
  private final Map<String, Random> generators = new HashMap<>();
  private boolean alive = true;

  VirtualProcess(VirtualWorld world, String name, CostMeter meter) {
    this.world = world;
    this.name = name;
    this.meter = meter;
    this.journal = new Journal(name.hashCode(), this::wallMillis);
  }

  String name() {
    return name;
  }

  CostMeter meter() {
    return meter;
  }

  boolean isAlive() {
    return alive;
  }

  Transport transport() {
    return world.join(this);
  }

  /** Kills the process, like SIGKILL. */
  void kill() {
    alive = false;
    world.leave(this);
  }

  @Override
  public long wallMillis() {
    return world.wallMillis();
  }

  @Override
  public long nanos() {
    return world.nanos();
  }

  @Override
  public RandomGenerator random(String purpose) {
    return generators.computeIfAbsent(
        purpose, x -> new Random(31L * name.hashCode() + purpose.hashCode()));
  }

  @Override
  public Mailbox mailbox(String mailbox) {
    return new VirtualMailbox(mailbox);
  }

  @Override
  public IoExecutor io() {
    return this::call;
  }

  @Override
  public Journal journal() {
    return journal;
  }

  private <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    world.schedule(
        this,
        IO_NANOS,
        "io",
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

  private final class VirtualMailbox implements Mailbox {
    private final String name;
    private final String part;
    private boolean inside;
    private boolean closed;
    private long cause;

    VirtualMailbox(String name) {
      this.name = name;
      int dash = name.indexOf('-');
      this.part = dash < 0 ? name : name.substring(0, dash);
    }

    @Override
    public void post(Runnable task) {
      world.schedule(VirtualProcess.this, 0, part, () -> run(task));
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
      return world.schedule(VirtualProcess.this, delay.toNanos(), part, () -> run(task));
    }

    @Override
    public void checkInside() {
      if (!inside) {
        throw new IllegalStateException("Mailbox " + name + " entered from outside");
      }
    }

    @Override
    public long cause() {
      return inside ? cause : 0;
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

    private void run(Runnable task) {
      if (!closed) {
        cause = 0;
        inside = true;
        try {
          task.run();
        } finally {
          inside = false;
        }
      }
    }
  }
}
