package io.millrace.cluster;

import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricValue;
import java.util.List;
import java.util.Map;

/** Makes samples of numbers. */
final class MetricSamples {
  private MetricSamples() {}

  static MetricSample of(
      List<String> scope, String name, Map<String, String> labels, Number value) {
    return new MetricSample(
        scope,
        name,
        labels,
        value instanceof Double level
            ? new MetricValue.Level(level)
            : new MetricValue.Count(value.longValue()));
  }
}
