package io.millrace.metrics;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricSource;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What a scrape returns: the metrics of the engine with Flink's names, and those of the JVM with
 * the names that Micrometer gives them, which ready-made dashboards expect. All are read when they
 * are scraped, so that tasks which nobody scrapes cost nothing.
 */
final class PrometheusScrape {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final long READ_SECONDS = 10;

  private final MetricSource source;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /** The samples that the registry shows; set and read by the one thread that scrapes. */
  private List<MetricSample> samples = List.of();

  PrometheusScrape(MetricSource source) {
    this.source = source;
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    registry.getPrometheusRegistry().register(this::collect);
  }

  /** The text of a scrape. One thread calls it. */
  String text() throws InterruptedException, ExecutionException, TimeoutException {
    samples = source.read().get(READ_SECONDS, TimeUnit.SECONDS);
    return registry.scrape(CONTENT_TYPE);
  }

  private MetricSnapshots collect() {
    return PrometheusSnapshots.of(samples);
  }
}
