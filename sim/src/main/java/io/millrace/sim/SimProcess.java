package io.millrace.sim;

import io.millrace.rpc.Env;
import io.millrace.rpc.IoExecutor;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Transport;
import io.millrace.rpc.journal.Journal;
import io.millrace.rpc.journal.JournalEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/**
 * A process of the simulated world: mailboxes, blocking work and a network address. It can be
 * killed, frozen for a while, after which all that came due meanwhile runs late, and have its wall
 * clock set.
 */
public final class SimProcess implements Env {
  private static final long MAX_IO_NANOS = 3_000_000;
  private static final long MAX_REPLY_NANOS = 400_000;

  private final Simulation simulation;
  private final String name;
  private final int start;
  private final String chance;
  private final Journal journal;
  private final Map<String, Random> generators = new LinkedHashMap<>();
  private final List<Simulation.Scheduled> deferred = new ArrayList<>();
  private final List<BiConsumer<SimProcess, JournalEntry>> witnesses = new ArrayList<>();
  private final List<Runnable> exitListeners = new ArrayList<>();
  private final Object ioLabel;
  private final SimIo io = new SimIo();
  private boolean alive = true;
  private boolean frozen;
  private long frozenAt;
  private long frozenNanos;
  private long slowIoNanos;

  /**
   * @param start how many processes of this name there have been with this one; each draws other
   *     ids
   */
  SimProcess(Simulation simulation, String name, int start) {
    this.simulation = simulation;
    this.name = name;
    this.start = start;
    this.chance = start == 1 ? name : name + "#" + start;
    this.ioLabel = name + "/io";
    this.journal = new Journal(random("journal").nextLong(), this::wallMillis, this::decided);
  }

  public String name() {
    return name;
  }

  /** The how-manieth process of its name it is. */
  public int start() {
    return start;
  }

  public boolean isAlive() {
    return alive;
  }

  public boolean isFrozen() {
    return frozen;
  }

  /** For how long nothing of it has run, in all. */
  public long frozenNanos() {
    return frozenNanos + (frozen ? simulation.nanos() - frozenAt : 0);
  }

  public Simulation simulation() {
    return simulation;
  }

  /** The process's place on the network; one a process. */
  public Transport transport() {
    return simulation.network().join(this);
  }

  /** Ends the process as SIGKILL does: nothing of it runs any more and its connections break. */
  public void kill() {
    kill(() -> simulation.network().leave(this));
  }

  /** Ends the process with its machine: peers hear of their connections only after a while. */
  public void killUnnoticed(Duration time) {
    kill(() -> simulation.network().leaveUnnoticed(this, time.toNanos()));
  }

  private void kill(Runnable leave) {
    if (alive) {
      simulation.trace().note(simulation.nanos(), name, "is gone");
      alive = false;
      deferred.clear();
      leave.run();
      exitListeners.forEach(Runnable::run);
    }
  }

  /** Told when the process is gone. */
  public void whenGone(Runnable exitListener) {
    exitListeners.add(exitListener);
  }

  /** Nothing of it runs until it is thawed. */
  public void freeze() {
    if (alive && !frozen) {
      simulation.trace().note(simulation.nanos(), name, "freezes");
      frozen = true;
      frozenAt = simulation.nanos();
      simulation.network().unresponsive(name, true);
    }
  }

  /** All that came due meanwhile runs now, in the order in which it was due. */
  public void thaw() {
    if (alive && frozen) {
      simulation.trace().note(simulation.nanos(), name, "thaws");
      frozen = false;
      frozenNanos += simulation.nanos() - frozenAt;
      simulation.network().unresponsive(name, false);
      List<Simulation.Scheduled> late = new ArrayList<>(deferred);
      deferred.clear();
      late.forEach(event -> simulation.schedule(this, 0, event.what(), event.action()));
    }
  }

  /** Sets the wall clock ahead, or back. */
  public void jumpClock(Duration by) {
    simulation.trace().note(simulation.nanos(), name, "clock jumps by " + by.toMillis() + " ms");
    simulation.jumpClock(name, by.toMillis());
  }

  /** Blocking work takes up to this much longer from now on. */
  public void slowIo(Duration longer) {
    slowIoNanos = longer.toNanos();
  }

  /** Sees each entry of the journal. */
  public void witness(BiConsumer<SimProcess, JournalEntry> witness) {
    witnesses.add(witness);
  }

  @Override
  public long wallMillis() {
    return simulation.wallMillis(name);
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
  public IoExecutor io() {
    return io;
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public String toString() {
    return chance;
  }

  /** Schedules what happens inside the process. */
  public void schedule(Duration delay, String what, Runnable action) {
    schedule(delay.toNanos(), what, action);
  }

  void schedule(long delayNanos, Object what, Runnable action) {
    simulation.schedule(this, delayNanos, what, action);
  }

  /** Whether the event has to wait until the process is thawed. */
  boolean defers(Simulation.Scheduled event) {
    if (frozen) {
      deferred.add(event);
    }
    return frozen;
  }

  private void decided(JournalEntry entry) {
    simulation.trace().decided(simulation.nanos(), name, entry);
    witnesses.forEach(witness -> witness.accept(this, entry));
  }

  /** Thrown inside blocking work by whoever kills the process in the middle of it. */
  public static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Killed() {
      super("The process was killed", null, false, false);
    }
  }

  /** Thrown inside blocking work that fails only after a long time. */
  public static final class TookLong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Duration time;

    public TookLong(Duration time) {
      super("Nobody has answered within " + time, null, false, false);
      this.time = time;
    }

    /** In nanoseconds; 0 for other failures. */
    private static long in(Throwable failure) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        if (cause instanceof TookLong known) {
          return known.time.toNanos();
        }
      }
      return 0;
    }
  }

  /**
   * The work happens at one moment and its answer comes at a later one: a process that is killed in
   * between has done it and does not know.
   */
  private final class SimIo implements IoExecutor {
    @Override
    public <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work) {
      CompletableFuture<T> result = new CompletableFuture<>();
      RandomGenerator random = random("io");
      long duration = (long) (random.nextDouble() * MAX_IO_NANOS);
      if (slowIoNanos > 0) {
        duration += (long) (random.nextDouble() * slowIoNanos);
      }
      long answer = (long) (random.nextDouble() * MAX_REPLY_NANOS);
      schedule(
          duration,
          ioLabel,
          () -> {
            Runnable reply;
            long hung = 0;
            try {
              T value = work.call();
              reply = () -> replyTo.post(() -> result.complete(value));
            } catch (Killed e) {
              return;
            } catch (Exception e) {
              reply = () -> replyTo.post(() -> result.completeExceptionally(e));
              hung = TookLong.in(e);
            }
            schedule(answer + hung, ioLabel, reply);
          });
      return result;
    }
  }

  private final class SimMailbox implements Mailbox {
    private final String label;
    private final String timerLabel;
    private boolean inside;
    private boolean closed;
    private long cause;

    SimMailbox(String label) {
      this.label = label;
      this.timerLabel = label + " timer";
    }

    @Override
    public void post(Runnable task) {
      if (!closed) {
        schedule(0, label, () -> run(task));
      }
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
      if (closed) {
        return () -> {};
      }
      Delayed delayed = new Delayed(task);
      schedule(delay.toNanos(), timerLabel, () -> run(delayed));
      return delayed;
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

  /** Lets go of its task when it is cancelled, long before its time comes. */
  private static final class Delayed implements Mailbox.Timer, Runnable {
    private Runnable task;

    Delayed(Runnable task) {
      this.task = task;
    }

    @Override
    public void cancel() {
      task = null;
    }

    @Override
    public void run() {
      Runnable due = task;
      task = null;
      if (due != null) {
        due.run();
      }
    }
  }
}
