package io.millrace.sim;

import io.millrace.rpc.Env;
import io.millrace.rpc.Io;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Transport;
import io.millrace.rpc.journal.Journal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** A process of the simulated world: mailboxes, blocking work and a network address. */
public final class SimProcess implements Env {
  private static final long MAX_IO_NANOS = 3_000_000;

  private final Simulation simulation;
  private final String name;
  private final String chance;
  private final Journal journal;
  private final Map<String, Random> generators = new LinkedHashMap<>();
  private boolean alive = true;

  /**
   * @param start how many processes of this name there have been with this one; each draws other
   *     ids
   */
  SimProcess(Simulation simulation, String name, int start) {
    this.simulation = simulation;
    this.name = name;
    this.chance = start == 1 ? name : name + "#" + start;
    this.journal = new Journal(random("journal").nextLong(), this::wallMillis);
  }

  public String name() {
    return name;
  }

  public boolean isAlive() {
    return alive;
  }

  /** The process's place on the network; one a process. */
  public Transport transport() {
    return simulation.network().join(this);
  }

  /** Ends the process as SIGKILL does: nothing of it runs any more and its connections break. */
  public void kill() {
    simulation.trace().event(simulation.nanos(), "kill " + name);
    alive = false;
    simulation.network().leave(this);
  }

  @Override
  public long wallMillis() {
    return simulation.wallMillis();
  }

  @Override
  public long nanos() {
    return simulation.nanos();
  }

  @Override
  public RandomGenerator random(String purpose) {
    return generators.computeIfAbsent(purpose, x -> simulation.random(chance + "/" + purpose));
  }

  @Override
  public Mailbox mailbox(String mailbox) {
    return new SimMailbox(name + "/" + mailbox);
  }

  @Override
  public Io io() {
    return new SimIo();
  }

  @Override
  public Journal journal() {
    return journal;
  }

  private void schedule(long delayNanos, String what, Runnable action) {
    simulation.schedule(
        delayNanos,
        what,
        () -> {
          if (alive) {
            action.run();
          }
        });
  }

  private final class SimIo implements Io {
    @Override
    public <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work) {
      CompletableFuture<T> result = new CompletableFuture<>();
      long duration = (long) (random("io").nextDouble() * MAX_IO_NANOS);
      schedule(
          duration,
          name + "/io",
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
  }

  private final class SimMailbox implements Mailbox {
    private final String label;
    private boolean inside;
    private boolean closed;
    private long cause;

    SimMailbox(String label) {
      this.label = label;
    }

    @Override
    public void post(Runnable task) {
      schedule(0, label, () -> run(task));
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
      boolean[] cancelled = new boolean[1];
      schedule(
          delay.toNanos(),
          label + " timer",
          () -> {
            if (!cancelled[0]) {
              run(task);
            }
          });
      return () -> cancelled[0] = true;
    }

    @Override
    public void checkInside() {
      if (!inside) {
        throw new IllegalStateException("Mailbox " + label + " entered from outside");
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

    /** A task that throws is a bug in what is simulated: the run ends there. */
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
