package io.millrace.sim;

import io.millrace.core.codec.RecordCodec;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Virtual time, one queue of events and all chance of a simulated world. */
public final class Simulation {
  /** A fixed morning, so that wall-clock times in traces are the same in every run. */
  private static final long EPOCH_MILLIS = 1_800_000_000_000L;

  /** No scenario needs more; a run that does has two components talking past each other. */
  private static final long MAX_EVENTS = 20_000_000;

  private final long seed;
  private final Trace trace;
  private final PriorityQueue<Scheduled> queue =
      new PriorityQueue<>(
          Comparator.comparingLong(Scheduled::time).thenComparingLong(Scheduled::number));
  private final Map<String, SimProcess> processes = new LinkedHashMap<>();
  private final Map<String, Integer> starts = new LinkedHashMap<>();
  private final SimNetwork network;
  private long now;
  private long numbers;
  private long executed;

  private record Scheduled(long time, long number, String what, Runnable action) {}

  public Simulation(long seed, RecordCodec codec) {
    this.seed = seed;
    this.trace = new Trace(seed);
    this.network = new SimNetwork(this, codec);
  }

  /** Starts a process under a name no living process has. */
  public SimProcess process(String name) {
    SimProcess process = new SimProcess(this, name, starts.merge(name, 1, Integer::sum));
    SimProcess before = processes.put(name, process);
    if (before != null && before.isAlive()) {
      throw new IllegalArgumentException("Process " + name + " is alive already");
    }
    return process;
  }

  public SimNetwork network() {
    return network;
  }

  public Trace trace() {
    return trace;
  }

  public long nanos() {
    return now;
  }

  public long wallMillis() {
    return EPOCH_MILLIS + now / 1_000_000;
  }

  /** A generator that depends on the seed and the name alone. */
  public Random random(String name) {
    return new Random(seed * 0x9E37_79B9_7F4A_7C15L ^ mix(name));
  }

  /** Runs events in the order of their times until the condition holds or the time is over. */
  public boolean runUntil(BooleanSupplier condition, Duration atMost) {
    long end = now + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      Scheduled next = queue.peek();
      if (next == null || next.time() > end) {
        now = end;
        return condition.getAsBoolean();
      }
      if (++executed > MAX_EVENTS) {
        throw new IllegalStateException(
            "Seed " + seed + " did not settle in " + executed + " events");
      }
      queue.poll();
      now = next.time();
      trace.event(now, next.what());
      next.action().run();
    }
    return true;
  }

  /** Lets the time pass. */
  public void run(Duration time) {
    runUntil(() -> false, time);
  }

  void schedule(long delayNanos, String what, Runnable action) {
    queue.add(new Scheduled(now + Math.max(0, delayNanos), numbers++, what, action));
  }

  /** A hash of text that is the same in every JVM and spreads short names well. */
  private static long mix(String text) {
    long hash = 0xcbf2_9ce4_8422_2325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x1000_0000_01b3L;
    }
    return hash;
  }
}
