package io.millrace.sim;

import io.millrace.core.codec.RecordCodec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Virtual time, one queue of events, and all randomness of a simulated cluster. */
public final class Simulation {
  /** A fixed start time, so that wall-clock times in traces are the same in each run. */
  private static final long EPOCH_MILLIS = 1_800_000_000_000L;

  /** A run with more events does not terminate: two components keep calling each other. */
  private static final long MAX_EVENTS = 3_000_000;

  private final long seed;
  private final Trace trace;
  private final PriorityQueue<Scheduled> queue = new PriorityQueue<>();
  private final Map<String, SimProcess> processes = new LinkedHashMap<>();
  private final Map<String, Integer> starts = new LinkedHashMap<>();

  /** The errors of wall clocks in milliseconds, by the name of the process. */
  private final Map<String, Long> clockErrors = new LinkedHashMap<>();

  private final SimNetwork network;
  private Runnable afterEvent = () -> {};
  private long now;
  private long numbers;
  private long executed;

  /**
   * @param owner the process of the event: the event is deferred while it is frozen and dropped if
   *     it is dead. Null for events of no process
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

  /** The run has exceeded the maximum number of events. */
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

  /** Starts a process. No running process may have the name. */
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

  /** The running process of this name. */
  public Optional<SimProcess> running(String name) {
    return Optional.ofNullable(processes.get(name)).filter(SimProcess::isAlive);
  }

  /** Sets a check that runs after each event. An exception of the check ends the run. */
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

  /** The wall clock of the machine of a process, which outlives the process. */
  long wallMillis(String process) {
    return wallMillis() + clockErrors.getOrDefault(process, 0L);
  }

  void jumpClock(String process, long millis) {
    clockErrors.merge(process, millis, Long::sum);
  }

  /** The number of executed events. */
  public long events() {
    return executed;
  }

  /** The number of scheduled events. */
  public int pending() {
    return queue.size();
  }

  /** A random generator that depends only on the seed and the name. */
  public Random random(String name) {
    return new Random(seed * 0x9E37_79B9_7F4A_7C15L ^ mix(name));
  }

  /** Runs events in order of time until the condition holds or the time is over. */
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

  /** Runs events for a time. */
  public void run(Duration time) {
    runUntil(() -> false, time);
  }

  /** Schedules an event of no process. */
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

  /** A hash that is the same in each JVM and distributes short names well. */
  private static long mix(String text) {
    long hash = 0xcbf2_9ce4_8422_2325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x1000_0000_01b3L;
    }
    return hash;
  }
}
