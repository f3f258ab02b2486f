package io.millrace.dataplane.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.metric.Counter;
import io.millrace.api.metric.MetricGroup;
import io.millrace.core.metric.MetricReading;
import io.millrace.core.metric.MetricValue;
import io.millrace.core.testing.Behaviour;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UserMetricsTest {
  private final UserMetrics metrics = new UserMetrics("'Map' (1/1, attempt 0)");
  private final MetricGroup group = metrics.of("Map");

  private Map<String, MetricValue> read() {
    Map<String, MetricValue> values = new LinkedHashMap<>();
    for (MetricReading reading : metrics.read()) {
      values.put(reading.name().dotted(), reading.value());
    }
    return values;
  }

  @Test
  void allKindsAreReadUnderTheirGroups() {
    group.group("a").counter("b").inc(3);
    group.group("shop", "the west.").meter("sold").markEvent(4);
    group.histogram("size").update(5);
    group.gauge("level", () -> 6);
    group.gauge("open", () -> true);
    group.gauge("name", () -> "x".repeat(1000));

    Map<String, MetricValue> values = read();
    assertThat(values.get("Map.a.b")).isEqualTo(new MetricValue.Count(3));
    assertThat(values.get("Map.shop.the_west_.sold"))
        .isInstanceOfSatisfying(
            MetricValue.Rate.class, rate -> assertThat(rate.count()).isEqualTo(4));
    assertThat(values.get("Map.size"))
        .isInstanceOfSatisfying(
            MetricValue.Distribution.class, all -> assertThat(all.p99()).isEqualTo(5));
    assertThat(values.get("Map.level")).isEqualTo(new MetricValue.Level(6));
    assertThat(values.get("Map.open")).isEqualTo(new MetricValue.Level(1));
    assertThat(((MetricValue.Text) values.get("Map.name")).value())
        .hasSize(MetricValue.MAX_TEXT_LENGTH);
  }

  @Test
  void nameIsThatOfOneMetric() {
    Counter counter = group.counter("n");
    assertThat(group.counter("n")).isSameAs(counter);
    assertThat(group.group("inner").counter("n")).isNotSameAs(counter);
    group.meter("n").markEvent();
    assertThat(read().get("Map.n")).isEqualTo(new MetricValue.Count(0));
    group.gauge("g", () -> 1);
    group.gauge("g", () -> 2);
    assertThat(read().get("Map.g")).isEqualTo(new MetricValue.Level(2));
  }

  @Test
  @Behaviour("I3: a program that registers a metric per record harms nobody")
  void metricsBeyondTheBoundsWorkAndAreNotReported() {
    for (int i = 0; i < 100_000; i++) {
      group.counter("record-" + i).inc();
    }
    assertThat(read()).hasSize(UserMetrics.MAX_METRICS);
    UserMetrics other = new UserMetrics("other");
    Counter counter = other.of("Map").group("x".repeat(UserMetrics.MAX_NAME_LENGTH)).counter("y");
    counter.inc();
    assertThat(counter.count()).isEqualTo(1);
    other.of("Map").counter("").inc();
    assertThat(other.read()).isEmpty();
  }

  @Test
  void gaugeThatFailsIsLeftOut() {
    group.gauge(
        "broken",
        () -> {
          throw new IllegalStateException("not now");
        });
    group.gauge(
        "wrong",
        () -> {
          throw new AssertionError("an error of the program");
        });
    group.gauge("nothing", () -> null);
    group.counter("good");
    assertThat(read()).containsOnlyKeys("Map.good");
  }

  @Test
  void gaugesOfATaskThatClosesAreNotCalledAgain() {
    group.gauge("looksInside", () -> 1);
    group.counter("stays");
    metrics.close();
    group.gauge("tooLate", () -> 2);
    assertThat(read()).containsOnlyKeys("Map.stays");
  }
}
