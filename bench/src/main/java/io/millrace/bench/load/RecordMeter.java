package io.millrace.bench.load;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Process-wide counters that sources and sinks update in batches. Each instance has its own cache
 * lines.
 */
public final class RecordMeter {
  public static final int EVERY = 256;
  private static final int STRIDE = 16;
  private static final int INSTANCES = 64;
  private static final AtomicLongArray IN = new AtomicLongArray(STRIDE * (INSTANCES + 1));
  private static final AtomicLongArray OUT = new AtomicLongArray(STRIDE * (INSTANCES + 1));
  public static final AtomicInteger SNAPSHOTS = new AtomicInteger();

  /** Sources end when this is true. */
  public static volatile boolean stop;

  private RecordMeter() {}

  public static void in(int instance, long total) {
    IN.lazySet(STRIDE * (instance + 1), total);
  }

  public static void out(int instance, long total) {
    OUT.lazySet(STRIDE * (instance + 1), total);
  }

  public static long in() {
    return sum(IN);
  }

  public static long out() {
    return sum(OUT);
  }

  private static long sum(AtomicLongArray counters) {
    long sum = 0;
    for (int i = 1; i <= INSTANCES; i++) {
      sum += counters.get(STRIDE * i);
    }
    return sum;
  }
}
