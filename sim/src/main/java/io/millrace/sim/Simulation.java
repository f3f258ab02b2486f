package io.millrace.sim;

import io.millrace.core.codec.RecordCodec;
import java.time.Duration;
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
  private static final long MAX_EVENTS = 3_000_000;

  private final long seed;
  private final Trace trace;
  private final PriorityQueue<Scheduled> queue = new PriorityQueue<>();
  private final Map<String, SimProcess> processes = new LinkedHashMap<>();
  private final Map<String, Integer> starts = new LinkedHashMap<>();

  /** By how many milliseconds the clocks of machines are wrong, by the names of the processes. */
  private final Map<String, Long> clockErrors = new LinkedHashMap<>();

  private final SimNetwork network;
  private Runnable afterEvent = () -> {};
  private long now;
  private long numbers;
  private long executed;

  /**
   * @param owner whose event it is: it waits while the process is frozen and is dropped with it
   */
  record Scheduled(long time, long number, SimProcess owner, Object what, Runnable action)
      implements Comparable<Scheduled> {
    @Override
    public int compareTo(Scheduled other) {
      return time != other.time
          ? Long.compare(time, other.time)
          : Long.compare(number, other.number);
    }
  }

  /** A run that goes on and on. */
  public static final class EventBudgetExceeded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EventBudgetExceeded(String message) {
      super(message);
    }
  }

  public Simulation(long seed, RecordCodec codec, Trace trace) {
    this.seed = seed;
    this.trace = trace;
    this.network = new SimNetwork(this, codec);
  }

  /** Starts a process under a name no living process has. */
  public SimProcess process(String name) {
    SimProcess before = processes.get(name);
    if (before != null && before.isAlive()) {
      throw new IllegalArgumentException("Process " + name + " is alive already");
    }
    SimProcess process = new SimProcess(this, name, starts.merge(name, 1, Integer::sum));
    processes.put(name, process);
    trace.note(now, name, process.start() == 1 ? "starts" : "starts again");
    return process;
  }

  /** Runs after each event; what it throws ends the run. */
  public void afterEvent(Runnable check) {
    afterEvent = check;
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

  /** The clock of the machine that a process runs on, which outlives the process. */
  long wallMillis(String process) {
    return wallMillis() + clockErrors.getOrDefault(process, 0L);
  }

  void jumpClock(String process, long millis) {
    clockErrors.merge(process, millis, Long::sum);
  }

  /** How many events have run. */
  public long events() {
    return executed;
  }

  /** How many events wait for their time. */
  public int pending() {
    return queue.size();
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
      queue.poll();
      now = next.time();
      run(next);
    }
    return true;
  }

  /** Lets the time pass. */
  public void run(Duration time) {
    runUntil(() -> false, time);
  }

  /** Schedules what belongs to no process: the world's own doings. */
  public void schedule(Duration delay, String what, Runnable action) {
    schedule(null, delay.toNanos(), what, action);
  }

  void schedule(SimProcess owner, long delayNanos, Object what, Runnable action) {
    queue.add(new Scheduled(now + Math.max(0, delayNanos), numbers++, owner, what, action));
  }

  private void run(Scheduled event) {
    SimProcess owner = event.owner();
    if (owner != null && !owner.isAlive()) {
      return;
    }
    if (owner != null && owner.defers(event)) {
      return;
    }
    if (++executed > MAX_EVENTS) {
      throw new EventBudgetExceeded("Seed " + seed + " did not settle in " + executed + " events");
    }
    trace.event(now, event.what());
    event.action().run();
    afterEvent.run();
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
