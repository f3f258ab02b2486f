package io.millrace.api.metric;

import java.util.Arrays;

/**
 * The distribution of some numbers.
 *
 * <pre>{@code
 * Histogram histogram = new Histogram();
 * histogram.update(3);
 * histogram.update(5);
 * System.out.println(histogram.statistics().mean() + " " + histogram.statistics().quantile(0.99));
 * }</pre>
 */
public final class HistogramStatistics {
  private final long[] sorted;

  HistogramStatistics(long[] numbers) {
    sorted = numbers;
    Arrays.sort(sorted);
  }

  public int size() {
    return sorted.length;
  }

  /** The numbers in ascending order. */
  public long[] values() {
    return sorted.clone();
  }

  /** 0 of no numbers. */
  public long min() {
    return sorted.length == 0 ? 0 : sorted[0];
  }

  /** 0 of no numbers. */
  public long max() {
    return sorted.length == 0 ? 0 : sorted[sorted.length - 1];
  }

  /** 0 of no numbers. */
  public double mean() {
    return Arrays.stream(sorted).average().orElse(0);
  }

  /** Of a sample; 0 of less than two numbers. */
  public double standardDeviation() {
    if (sorted.length < 2) {
      return 0;
    }
    double mean = mean();
    double squares = 0;
    for (long number : sorted) {
      squares += (number - mean) * (number - mean);
    }
    return Math.sqrt(squares / (sorted.length - 1));
  }

  /**
   * The number that this share of all numbers does not exceed, interpolated between two of them; 0
   * of no numbers.
   *
   * @param share from 0 to 1
   */
  public double quantile(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("A quantile is from 0 to 1, not " + share);
    }
    if (sorted.length == 0) {
      return 0;
    }
    double position = share * (sorted.length + 1);
    int below = (int) position;
    if (below < 1) {
      return sorted[0];
    }
    if (below >= sorted.length) {
      return sorted[sorted.length - 1];
    }
    double low = sorted[below - 1];
    return low + (position - below) * (sorted[below] - low);
  }
}
