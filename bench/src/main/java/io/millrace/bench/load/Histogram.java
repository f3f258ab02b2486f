package io.millrace.bench.load;

/**
 * A log-linear histogram of nanoseconds with a relative precision of 1/64. It has one writer and is
 * merged after the run.
 */
public final class Histogram {
  private static final int SUB_BITS = 6;
  private static final int SUB = 1 << SUB_BITS;
  private final long[] counts = new long[64 * SUB];
  private long max;

  public void record(long nanos) {
    long v = Math.max(nanos, 0);
    if (v > max) {
      max = v;
    }
    counts[slot(v)]++;
  }

  private static int slot(long v) {
    if (v < SUB) {
      return (int) v;
    }
    int shift = 63 - Long.numberOfLeadingZeros(v) - SUB_BITS;
    return (shift + 1) * SUB + (int) ((v >>> shift) - SUB);
  }

  private static long valueOf(int slot) {
    if (slot < SUB) {
      return slot;
    }
    int shift = slot / SUB - 1;
    return ((long) (slot % SUB) + SUB) << shift;
  }

  public void add(Histogram other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    max = Math.max(max, other.max);
  }

  public long count() {
    long n = 0;
    for (long c : counts) {
      n += c;
    }
    return n;
  }

  public double percentileMs(double p) {
    long target = (long) Math.ceil(count() * p / 100);
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= target && target > 0) {
        return valueOf(i) / 1e6;
      }
    }
    return 0;
  }

  public double maxMs() {
    return max / 1e6;
  }
}
