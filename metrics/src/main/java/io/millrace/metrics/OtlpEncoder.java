package io.millrace.metrics;

import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricValue;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint.ValueAtQuantile;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Samples as the protocol buffers of OpenTelemetry. The classes of the protocol and the HTTP client
 * of the JDK are all that a push needs: the values are at hand, so that the SDK, which collects and
 * schedules them, would only copy them.
 */
final class OtlpEncoder {
  private final Resource resource;

  OtlpEncoder(String serviceName) {
    resource = Resource.newBuilder().addAttributes(attribute("service.name", serviceName)).build();
  }

  /** A request with these samples; texts are left out. */
  byte[] encode(List<MetricSample> samples) {
    long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    Map<String, Metric.Builder> metrics = new LinkedHashMap<>();
    for (MetricSample sample : samples) {
      if (!(sample.value() instanceof MetricValue.Text)) {
        String name = "flink." + String.join(".", sample.scope()) + "." + sample.name();
        add(metrics.computeIfAbsent(name, id -> Metric.newBuilder().setName(id)), sample, now);
      }
    }
    ScopeMetrics.Builder scope =
        ScopeMetrics.newBuilder()
            .setScope(InstrumentationScope.newBuilder().setName("io.millrace"));
    metrics.values().forEach(scope::addMetrics);
    return ExportMetricsServiceRequest.newBuilder()
        .addResourceMetrics(
            ResourceMetrics.newBuilder().setResource(resource).addScopeMetrics(scope))
        .build()
        .toByteArray();
  }

  /** Programs choose names, so that two kinds may meet under one: the first counts. */
  private static void add(Metric.Builder metric, MetricSample sample, long now) {
    if (sample.value() instanceof MetricValue.Distribution all) {
      if (!metric.hasGauge()) {
        Summary.Builder summary = metric.getSummaryBuilder();
        summary.addDataPoints(summary(all, sample.labels(), now));
      }
    } else if (!metric.hasSummary()) {
      Gauge.Builder gauge = metric.getGaugeBuilder();
      NumberDataPoint.Builder point = NumberDataPoint.newBuilder().setTimeUnixNano(now);
      sample.labels().forEach((name, value) -> point.addAttributes(attribute(name, value)));
      if (sample.value() instanceof MetricValue.Count count) {
        point.setAsInt(count.value());
      } else {
        point.setAsDouble(sample.value().number());
      }
      gauge.addDataPoints(point);
    }
  }

  private static SummaryDataPoint summary(
      MetricValue.Distribution all, Map<String, String> labels, long now) {
    SummaryDataPoint.Builder point =
        SummaryDataPoint.newBuilder()
            .setTimeUnixNano(now)
            .setCount(all.count())
            .setSum(all.mean() * all.count());
    labels.forEach((name, value) -> point.addAttributes(attribute(name, value)));
    quantile(point, 0, all.min());
    quantile(point, 0.5, all.median());
    quantile(point, 0.75, all.p75());
    quantile(point, 0.95, all.p95());
    quantile(point, 0.99, all.p99());
    quantile(point, 1, all.max());
    return point.build();
  }

  private static void quantile(SummaryDataPoint.Builder point, double share, double value) {
    point.addQuantileValues(ValueAtQuantile.newBuilder().setQuantile(share).setValue(value));
  }

  private static KeyValue attribute(String name, String value) {
    return KeyValue.newBuilder()
        .setKey(name)
        .setValue(AnyValue.newBuilder().setStringValue(value))
        .build();
  }
}
