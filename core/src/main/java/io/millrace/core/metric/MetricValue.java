package io.millrace.core.metric;

import java.util.Objects;

/** The value of a metric at one moment. */
public sealed interface MetricValue {
  /** Maximum number of characters of a text. */
  int MAX_TEXT_LENGTH = 256;

  /** The number that represents the value in a sum or a comparison; NaN if it is not a number. */
  double number();

  /** The value of a counter. */
  record Count(long value) implements MetricValue {
    @Override
    public double number() {
      return value;
    }
  }

  /** The value of a gauge that is a number. */
  record Level(double value) implements MetricValue {
    @Override
    public double number() {
      return value;
    }
  }

  /** The value of a gauge that is no number; a longer text is cut. */
  record Text(String value) implements MetricValue {
    public Text {
      Objects.requireNonNull(value);
      value = value.length() > MAX_TEXT_LENGTH ? value.substring(0, MAX_TEXT_LENGTH) : value;
    }

    @Override
    public double number() {
      return Double.NaN;
    }
  }

  /**
   * The value of a meter.
   *
   * @param count all events
   * @param perSecond the current rate
   */
  record Rate(long count, double perSecond) implements MetricValue {
    @Override
    public double number() {
      return perSecond;
    }
  }

  /**
   * The value of a histogram.
   *
   * @param count all values that were added
   * @param standardDeviation like the minimum and what follows, of the latest values
   */
  record Distribution(
      long count,
      double min,
      double max,
      double mean,
      double standardDeviation,
      double median,
      double p75,
      double p90,
      double p95,
      double p98,
      double p99,
      double p999)
      implements MetricValue {
    @Override
    public double number() {
      return mean;
    }
  }
}
