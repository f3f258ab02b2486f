package io.millrace.dataplane.cores;

import java.util.Arrays;

/**
 * Detects steps that hold their cores for long. It checks each core every tick and charges a step
 * with its CPU time and with the time that it slept, for example in I/O or locks. It does not
 * charge the time that a step waited for a processor: on an overloaded machine a healthy step may
 * take long. Belongs to the timer thread.
 */
final class Watchdog {
  static final long TICK_NANOS = 10_000_000;

  /** A step that is charged with this time loses its core. */
  static final long LONG_NANOS = 20_000_000;

  private final Watched[] watched;

  private static final class Watched {
    private Object holder;
    private long step;
    private long seenAt;
    private long cpu;
    private long charged;
  }

  Watchdog(int cores) {
    watched = new Watched[cores];
    Arrays.setAll(watched, core -> new Watched());
  }

  /**
   * Checks the step on a core.
   *
   * @param holder the worker that runs the step
   * @param step the start time of the step, which identifies it among those of the worker
   * @return whether the step has held the core for long
   */
  boolean isLong(int core, Object holder, long step, ThreadProbe probe, long now) {
    Watched seen = watched[core];
    if (seen.holder != holder || seen.step != step) {
      // Most steps end before the next tick, so their CPU time is not read now.
      seen.holder = holder;
      seen.step = step;
      seen.seenAt = now;
      seen.cpu = -1;
      seen.charged = 0;
      return false;
    }
    long cpu = probe.cpuNanos();
    long passed = now - seen.seenAt;
    long worked = seen.cpu < 0 ? 0 : Math.min(passed, cpu - seen.cpu);
    seen.charged += worked;
    if (probe.isAsleep()) {
      // At most one tick: after a late check the whole JVM may have been stopped.
      seen.charged += Math.min(passed - worked, TICK_NANOS);
    }
    seen.seenAt = now;
    seen.cpu = cpu;
    return seen.charged >= LONG_NANOS;
  }
}
