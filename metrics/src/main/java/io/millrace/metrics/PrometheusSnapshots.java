package io.millrace.metrics;

import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricValue;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Samples as Prometheus shows them, under the names that Flink's reporter gives them: {@code
 * flink}, the scope and the name with underscores between them. A counter is a gauge there, too,
 * because it can go down. Texts are left out.
 */
final class PrometheusSnapshots {
  private static final String PREFIX = "flink";

  private PrometheusSnapshots() {}

  static MetricSnapshots of(Iterable<MetricSample> samples) {
    Map<String, Family> families = new LinkedHashMap<>();
    for (MetricSample sample : samples) {
      if (!(sample.value() instanceof MetricValue.Text)) {
        families.computeIfAbsent(nameOf(sample), name -> new Family()).add(sample);
      }
    }
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    families.forEach((name, family) -> all.metricSnapshot(family.snapshot(name)));
    return all.build();
  }

  static String nameOf(MetricSample sample) {
    String full = PREFIX + "_" + String.join("_", sample.scope()) + "_" + sample.name();
    return PrometheusNaming.sanitizeMetricName(full.replaceAll("[^a-zA-Z0-9_]", "_"));
  }

  /**
   * All samples with a name. Programs choose names, so that two kinds may meet: the first counts.
   */
  private static final class Family {
    private final Map<Labels, MetricValue> points = new LinkedHashMap<>();
    private boolean distributions;

    void add(MetricSample sample) {
      boolean distribution = sample.value() instanceof MetricValue.Distribution;
      if (points.isEmpty()) {
        distributions = distribution;
      }
      if (distribution == distributions) {
        points.putIfAbsent(labelsOf(sample), sample.value());
      }
    }

    private static Labels labelsOf(MetricSample sample) {
      Map<String, String> labels = new LinkedHashMap<>();
      sample.labels().forEach((name, value) -> labels.putIfAbsent(labelOf(name), value));
      labels.remove("quantile");
      return Labels.of(
          labels.keySet().toArray(String[]::new), labels.values().toArray(String[]::new));
    }

    private static String labelOf(String name) {
      return name.isEmpty()
          ? "_"
          : PrometheusNaming.sanitizeLabelName(name.replaceAll("[^a-zA-Z0-9_]", "_"));
    }

    MetricSnapshot snapshot(String name) {
      if (!distributions) {
        GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name);
        points.forEach(
            (labels, value) ->
                gauge.dataPoint(
                    GaugeDataPointSnapshot.builder().labels(labels).value(value.number()).build()));
        return gauge.build();
      }
      SummarySnapshot.Builder summary = SummarySnapshot.builder().name(name);
      points.forEach(
          (labels, value) -> summary.dataPoint(point(labels, (MetricValue.Distribution) value)));
      return summary.build();
    }

    private static SummaryDataPointSnapshot point(Labels labels, MetricValue.Distribution value) {
      return SummaryDataPointSnapshot.builder()
          .labels(labels)
          .count(value.count())
          .quantiles(
              Quantiles.of(
                  new Quantile(0.5, value.median()),
                  new Quantile(0.75, value.p75()),
                  new Quantile(0.95, value.p95()),
                  new Quantile(0.98, value.p98()),
                  new Quantile(0.99, value.p99()),
                  new Quantile(0.999, value.p999())))
          .build();
    }
  }
}
