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
 * A simulated process: mailboxes, blocking work and a network address. It can be killed, and frozen
 * for a time, after which all overdue events run; and its wall clock can be set.
 */
public final class SimProcess implements Env {
  private static final long MAX_IO_NANOS = 3_000_000;
  private static final long MAX_REPLY_NANOS = 400_000;

  private final Simulation simulation;
  private final String name;
  private final int start;
  private final String randomName;
  private final Journal journal;
  private final Map<String, Random> generators = new LinkedHashMap<>();
  private final List<Simulation.Scheduled> deferred = new ArrayList<>();
  private final List<BiConsumer<SimProcess, JournalEntry>> journalListeners = new ArrayList<>();
  private final List<Runnable> exitListeners = new ArrayList<>();
  private final Object ioLabel;
  private final SimIo io = new SimIo();
  private boolean alive = true;
  private boolean frozen;
  private long frozenAt;
  private long frozenNanos;
  private long slowIoNanos;

  /**
   * @param start the number of this process among those with its name; each draws other random
   *     numbers
   */
  SimProcess(Simulation simulation, String name, int start) {
    this.simulation = simulation;
    this.name = name;
    this.start = start;
    this.randomName = start == 1 ? name : name + "#" + start;
    this.ioLabel = name + "/io";
    this.journal =
        new Journal(random("journal").nextLong(), this::wallMillis, this::journalAppended);
  }

  public String name() {
    return name;
  }

  /** The number of this process among those with its name, from 1. */
  public int start() {
    return start;
  }

  public boolean isAlive() {
    return alive;
  }

  public boolean isFrozen() {
    return frozen;
  }

  /** The total time for which the process was frozen. */
  public long frozenNanos() {
    return frozenNanos + (frozen ? simulation.nanos() - frozenAt : 0);
  }

  public Simulation simulation() {
    return simulation;
  }

  /** Joins the network; once per process. */
  public Transport transport() {
    return simulation.network().join(this);
  }

  /** Ends the process like SIGKILL: none of its events run, and its connections break. */
  public void kill() {
    kill(() -> simulation.network().leave(this));
  }

  /** Ends the process with its machine: its peers notice the broken connections later. */
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

  /** Registers a listener of the end of the process. */
  public void onExit(Runnable exitListener) {
    exitListeners.add(exitListener);
  }

  /** Defers all events of the process until it is thawed. */
  public void freeze() {
    if (alive && !frozen) {
      simulation.trace().note(simulation.nanos(), name, "freezes");
      frozen = true;
      frozenAt = simulation.nanos();
      simulation.network().unresponsive(name, true);
    }
  }

  /** Runs the deferred events in the order in which they were due. */
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

  /** Changes the wall clock, forwards or backwards. */
  public void jumpClock(Duration by) {
    simulation.trace().note(simulation.nanos(), name, "clock jumps by " + by.toMillis() + " ms");
    simulation.jumpClock(name, by.toMillis());
  }

  /** Sets the maximum additional time of blocking work. */
  public void slowIo(Duration longer) {
    slowIoNanos = longer.toNanos();
  }

  /** Registers a listener of journal entries. */
  public void onJournalEntry(BiConsumer<SimProcess, JournalEntry> listener) {
    journalListeners.add(listener);
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
    return generators.computeIfAbsent(purpose, x -> simulation.random(randomName + "/" + purpose));
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
    return randomName;
  }

  /** Schedules an event of the process. */
  public void schedule(Duration delay, String what, Runnable action) {
    schedule(delay.toNanos(), what, action);
  }

  void schedule(long delayNanos, Object what, Runnable action) {
    simulation.schedule(this, delayNanos, what, action);
  }

  /** Whether the event is deferred until the process is thawed. */
  boolean defers(Simulation.Scheduled event) {
    if (frozen) {
      deferred.add(event);
    }
    return frozen;
  }

  private void journalAppended(JournalEntry entry) {
    simulation.trace().decided(simulation.nanos(), name, entry);
    journalListeners.forEach(listener -> listener.accept(this, entry));
  }

  /** Thrown inside blocking work by the code that kills the process during the work. */
  public static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Killed() {
      super("The process was killed", null, false, false);
    }
  }

  /** Thrown inside blocking work that fails after a long time. */
  public static final class TookLong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Duration time;

    public TookLong(Duration time) {
      super("No answer within " + time, null, false, false);
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
   * The work runs at one time and its result arrives at a later one: a process that is killed in
   * between has done the work without knowing it.
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
      long replyDelay = (long) (random.nextDouble() * MAX_REPLY_NANOS);
      schedule(
          duration,
          ioLabel,
          () -> {
            Runnable reply;
            long timeout = 0;
            try {
              T value = work.call();
              reply = () -> replyTo.post(() -> result.complete(value));
            } catch (Killed e) {
              return;
            } catch (Exception e) {
              reply = () -> replyTo.post(() -> result.completeExceptionally(e));
              timeout = TookLong.in(e);
            }
            schedule(replyDelay + timeout, ioLabel, reply);
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

    /** An exception of a task is a bug in the simulated code and ends the run. */
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

  /** Releases its task when it is cancelled, before it is due. */
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
