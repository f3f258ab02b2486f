package io.millrace.api.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MetricsTest {
  @Test
  void counterCountsUpAndDown() {
    Counter counter = new Counter();
    counter.inc();
    counter.inc(10);
    counter.dec();
    counter.dec(3);
    assertThat(counter.count()).isEqualTo(7);
  }

  @Test
  void histogramIsThatOfTheLatestNumbers() {
    Histogram histogram = new Histogram(4);
    assertThat(histogram.statistics().mean()).isZero();
    assertThat(histogram.statistics().quantile(0.5)).isZero();
    for (long number : new long[] {1000, 1, 2, 3, 4}) {
      histogram.update(number);
    }
    HistogramStatistics latest = histogram.statistics();
    assertThat(histogram.count()).isEqualTo(5);
    assertThat(latest.values()).containsExactly(1, 2, 3, 4);
    assertThat(latest.min()).isEqualTo(1);
    assertThat(latest.max()).isEqualTo(4);
    assertThat(latest.mean()).isEqualTo(2.5);
    assertThat(latest.standardDeviation()).isEqualTo(1.2910, within(0.0001));
    assertThat(latest.quantile(0)).isEqualTo(1);
    assertThat(latest.quantile(0.5)).isEqualTo(2.5);
    assertThat(latest.quantile(1)).isEqualTo(4);
    assertThatThrownBy(() -> latest.quantile(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Histogram(10_001)).hasMessageContaining("10000");
  }

  @Test
  void meterHasTheRateOfTheLastMinute() {
    AtomicLong nanos = new AtomicLong(5);
    Meter meter = new Meter(nanos::get);
    assertThat(meter.rate()).isZero();
    meter.markEvent(30);
    pass(nanos, 10);
    assertThat(meter.rate()).isEqualTo(3);
    for (int second = 0; second < 60; second++) {
      pass(nanos, 1);
      meter.markEvent();
      meter.rate();
    }
    assertThat(meter.count()).isEqualTo(90);
    assertThat(meter.rate()).as("the first 30 are forgotten").isEqualTo(1);
    pass(nanos, 600);
    assertThat(meter.rate()).as("over the pause").isEqualTo(1 / 600.0, within(0.2));
  }

  private static void pass(AtomicLong nanos, int seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void metricsOutsideOfATaskWork() {
    MetricGroup group = MetricGroup.unreported().group("a").group("b", "c");
    Counter counter = group.counter("d");
    counter.inc();
    group.meter("e").markEvent();
    group.histogram("f").update(1);
    assertThat(group.gauge("g", () -> 1)).isNotNull();
    assertThat(counter.count()).isEqualTo(1);
  }
}
