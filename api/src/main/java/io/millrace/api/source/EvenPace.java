package io.millrace.api.source;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Spreads records evenly over time. */
final class EvenPace implements Pace {
  /** A stall is made up for up to this much; after a longer one the clock starts anew. */
  private static final double MOST_BEHIND_NANOS = 1e9;

  private static final long SHORTEST_PAUSE_NANOS = 1_000_000;

  private final double nanosPerRecord;
  private final LongSupplier nanoTime;
  private long start;
  private long done;

  EvenPace(double perSecond, LongSupplier nanoTime) {
    this.nanosPerRecord = 1e9 / perSecond;
    this.nanoTime = nanoTime;
    this.start = nanoTime.getAsLong();
  }

  @Override
  public int allowed(int limit) {
    if (nanosPerRecord == 0) {
      return limit;
    }
    long elapsed = nanoTime.getAsLong() - start;
    double behind = elapsed - done * nanosPerRecord;
    if (behind > MOST_BEHIND_NANOS + nanosPerRecord) {
      start += elapsed - (long) MOST_BEHIND_NANOS;
      elapsed = (long) MOST_BEHIND_NANOS;
      done = 0;
    }
    long due = (long) (elapsed / nanosPerRecord) + 1;
    return (int) Math.max(0, Math.min(limit, due - done));
  }

  @Override
  public void emitted(int records) {
    done += records;
  }

  @Override
  public Duration untilNext() {
    long due = start + (long) (done * nanosPerRecord);
    return Duration.ofNanos(Math.max(SHORTEST_PAUSE_NANOS, due - nanoTime.getAsLong()));
  }
}
