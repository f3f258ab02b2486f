package io.millrace.bench.load;

import java.io.Serializable;

/**
 * A fast deterministic generator for all engines: xorshift64 keys, values 1 to 8, and an event time
 * that advances one millisecond every 1000 records, so that a window of 1 s holds one million
 * records of each source instance.
 */
public final class Gen implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int RECORDS_PER_MS = 1000;

  private final long keys;
  private long state;
  private long position;

  public Gen(int instance, long keys) {
    this.keys = keys;
    this.state = 0x9E3779B97F4A7C15L * (instance + 1);
    Memory.recordBaseHeap(keys);
  }

  /** Moves to the next record. */
  public void advance() {
    long x = state;
    x ^= x << 13;
    x ^= x >>> 7;
    x ^= x << 17;
    state = x;
    position++;
  }

  public long key() {
    return ((state >>> 32) * keys) >>> 32;
  }

  public long timestamp() {
    return position / RECORDS_PER_MS;
  }

  public long value() {
    return (state & 7) + 1;
  }

  /** Non-negative index below a power of two. */
  public int index(int powerOfTwo) {
    return (int) (state >>> 40) & (powerOfTwo - 1);
  }

  public long position() {
    return position;
  }

  public void restore(long[] saved) {
    state = saved[0];
    position = saved[1];
  }

  public long[] save() {
    return new long[] {state, position};
  }
}
