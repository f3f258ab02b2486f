package io.millrace.dataplane.cores;

import java.util.Arrays;

/**
 * Tells steps that hold their cores from those that only wait for a processor. Looked at every
 * tick, a step is charged with the time it had a processor and the time it slept, waits for data or
 * locks included, but not with the time it was ready to run and did not get to: on a starved
 * machine a healthy step may last long and is nobody's fault. Lives in the timer's thread.
 */
final class Watchdog {
  static final long TICK_NANOS = 10_000_000;

  /** Steps that are charged with this lose their cores. */
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
   * Looks at what holds a core now.
   *
   * @param holder whose step it is
   * @param step when it began, which tells it from the others of its holder
   * @return whether it has held the core for long
   */
  boolean isLong(int core, Object holder, long step, ThreadProbe probe, long now) {
    Watched seen = watched[core];
    if (seen.holder != holder || seen.step != step) {
      // Most steps are gone at the next tick, so no more is asked of them.
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
      // Who looks late knows less: all of the JVM may have stood still meanwhile.
      seen.charged += Math.min(passed - worked, TICK_NANOS);
    }
    seen.seenAt = now;
    seen.cpu = cpu;
    return seen.charged >= LONG_NANOS;
  }
}
