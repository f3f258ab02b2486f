package io.millrace.api.source;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Duration;

/**
 * How the rate of a {@link GeneratorSource} changes over time.
 *
 * <pre>{@code
 * // 2,000 records per second for the first ten seconds of each minute, and 100 otherwise.
 * RatePattern bursts =
 *     RatePattern.bursts(100, 2_000, Duration.ofMinutes(1), Duration.ofSeconds(10));
 * env.generate(
 *         GeneratorSource.of(index -> new Order("customer " + index % 10, index, 100))
 *             .rate(bursts))
 *     .print();
 * }</pre>
 */
@FunctionalInterface
public interface RatePattern extends Serializable {
  /**
   * Records per second over all parallel instances; 0 or more.
   *
   * @param elapsed since the task started; a task that is restarted begins anew
   */
  double perSecond(Duration elapsed);

  /** From one rate to another, which stays then. */
  static RatePattern ramp(double from, double to, Duration over) {
    double seconds = seconds(over);
    check(from);
    check(to);
    return elapsed -> from + (to - from) * Math.min(1, seconds(elapsed) / seconds);
  }

  /**
   * Bursts, the first of them at the start.
   *
   * @param length of a burst, less than the period
   */
  static RatePattern bursts(double between, double within, Duration period, Duration length) {
    double seconds = seconds(period);
    double burst = seconds(length);
    check(between);
    check(within);
    if (burst >= seconds) {
      throw new MillraceException(
          ErrorKind.USER,
          "A burst of " + length + " every " + period + " never ends. Choose a shorter one.");
    }
    return elapsed -> seconds(elapsed) % seconds < burst ? within : between;
  }

  /** Up and down between two rates as a sine; starts at the lower one. */
  static RatePattern wave(double lowest, double highest, Duration period) {
    double seconds = seconds(period);
    check(lowest);
    check(highest);
    return elapsed ->
        lowest + (highest - lowest) * (1 - Math.cos(2 * Math.PI * seconds(elapsed) / seconds)) / 2;
  }

  private static double seconds(Duration duration) {
    if (duration.isNegative()) {
      throw new MillraceException(
          ErrorKind.USER, "A time of a rate pattern is positive, not " + duration + ".");
    }
    return duration.toNanos() / 1e9;
  }

  private static void check(double perSecond) {
    if (!(perSecond >= 0 && perSecond < Double.POSITIVE_INFINITY)) {
      throw new MillraceException(
          ErrorKind.USER, "A rate is 0 records per second or more, not " + perSecond + ".");
    }
  }
}
