package io.millrace.metrics;

import io.millrace.core.config.Configuration;
import io.millrace.core.metric.MetricReporter;
import io.millrace.core.metric.MetricReporterProvider;
import io.millrace.core.metric.MetricSource;

/** Starts the endpoint for Prometheus. */
public final class PrometheusReporterProvider implements MetricReporterProvider {
  @Override
  public boolean isConfigured(Configuration configuration) {
    return configuration.contains(PrometheusOptions.PORT);
  }

  @Override
  public MetricReporter start(Configuration configuration, MetricSource source) {
    return PrometheusEndpoint.start(configuration, new PrometheusScrape(source));
  }
}
