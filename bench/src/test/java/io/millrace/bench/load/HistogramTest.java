package io.millrace.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramTest {
  private static final double PRECISION = 1.0 / 64;

  private static Histogram of(long... nanos) {
    Histogram histogram = new Histogram();
    for (long value : nanos) {
      histogram.record(value);
    }
    return histogram;
  }

  @Test
  void emptyHistogramHasNoPercentiles() {
    Histogram empty = new Histogram();
    assertThat(empty.count()).isZero();
    assertThat(empty.percentileMs(50)).isZero();
    assertThat(empty.percentileMs(100)).isZero();
    assertThat(empty.maxMs()).isZero();
  }

  @Test
  void smallValuesAreExact() {
    for (long value = 0; value < 64; value++) {
      assertThat(of(value).percentileMs(50)).isEqualTo(value / 1e6);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {64, 127, 128, 1_000_000, 999_999_999_999L, Long.MAX_VALUE})
  void everyValueIsKeptWithinThePrecision(long value) {
    Histogram histogram = of(value);
    assertThat(histogram.percentileMs(50))
        .isLessThanOrEqualTo(value / 1e6)
        .isCloseTo(value / 1e6, within(value / 1e6 * PRECISION));
    assertThat(histogram.maxMs()).isEqualTo(value / 1e6);
  }

  /** A clock that goes back must not damage the counts. */
  @Test
  void negativeValuesCountAsZero() {
    Histogram histogram = of(-5, Long.MIN_VALUE, 10);
    assertThat(histogram.count()).isEqualTo(3);
    assertThat(histogram.percentileMs(50)).isZero();
    assertThat(histogram.maxMs()).isEqualTo(10 / 1e6);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void percentilesAreThoseOfTheSortedValues(long seed) {
    Random random = new Random(seed);
    long[] values = new long[1 + random.nextInt(5_000)];
    Histogram all = new Histogram();
    Histogram[] parts = {new Histogram(), new Histogram(), new Histogram()};
    for (int i = 0; i < values.length; i++) {
      values[i] = (long) Math.exp(random.nextDouble() * 25);
      all.record(values[i]);
      parts[random.nextInt(parts.length)].record(values[i]);
    }
    Arrays.sort(values);
    Histogram merged = new Histogram();
    Arrays.stream(parts).forEach(merged::add);
    for (double p : new double[] {1, 25, 50, 90, 99, 99.9, 100}) {
      long expected = values[(int) Math.ceil(values.length * p / 100) - 1];
      assertThat(all.percentileMs(p))
          .as("seed %s, percentile %s", seed, p)
          .isCloseTo(expected / 1e6, within(expected / 1e6 * PRECISION + 1e-9));
      assertThat(merged.percentileMs(p)).isEqualTo(all.percentileMs(p));
    }
    assertThat(merged.count()).isEqualTo(values.length);
    assertThat(merged.maxMs()).isEqualTo(values[values.length - 1] / 1e6);
  }
}
