package io.millrace.api.source;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Spreads records over time as a pattern says, which it sums up in small steps. */
final class PatternPace implements Pace {
  private static final long STEP_NANOS = 1_000_000;

  /** A stall is made up for up to this much. */
  private static final long MOST_BEHIND_NANOS = 1_000_000_000;

  private static final double SHORTEST_PAUSE_NANOS = 1e6;
  private static final double LONGEST_PAUSE_NANOS = 1e8;

  private final RatePattern pattern;
  private final double share;
  private final LongSupplier nanoTime;
  private final long start;

  /** The time up to which the pattern is summed up, since the start. */
  private long summed;

  /** Records that may be emitted; the first one at once. */
  private double due = 1;

  /**
   * @param share of this instance
   */
  PatternPace(RatePattern pattern, double share, LongSupplier nanoTime) {
    this.pattern = pattern;
    this.share = share;
    this.nanoTime = nanoTime;
    this.start = nanoTime.getAsLong();
  }

  private double perSecond(long nanos) {
    double perSecond = pattern.perSecond(Duration.ofNanos(nanos));
    if (!(perSecond >= 0 && perSecond < Double.POSITIVE_INFINITY)) {
      throw new MillraceException(
          ErrorKind.USER,
          "The rate pattern of a generator returned "
              + perSecond
              + ". It returns records per second, 0 or more.");
    }
    return perSecond * share;
  }

  @Override
  public int allowed(int limit) {
    long now = nanoTime.getAsLong() - start;
    summed = Math.max(summed, now - MOST_BEHIND_NANOS);
    while (summed < now) {
      long step = Math.min(STEP_NANOS, now - summed);
      due += perSecond(summed) * step / 1e9;
      summed += step;
    }
    return (int) Math.min(limit, due);
  }

  @Override
  public void emitted(int records) {
    due -= records;
  }

  @Override
  public Duration untilNext() {
    double perSecond = perSecond(summed);
    double missing = 1 - due;
    double nanos = perSecond == 0 ? Double.MAX_VALUE : missing / perSecond * 1e9;
    return Duration.ofNanos(
        (long) Math.max(SHORTEST_PAUSE_NANOS, Math.min(LONGEST_PAUSE_NANOS, nanos)));
  }
}
