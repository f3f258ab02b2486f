package io.millrace.metrics;

import io.millrace.core.config.Configuration;
import io.millrace.core.metric.MetricReporter;
import io.millrace.core.metric.MetricReporterProvider;
import io.millrace.core.metric.MetricSource;

/** Starts the push of metrics by the protocol of OpenTelemetry. */
public final class OtlpReporterProvider implements MetricReporterProvider {
  @Override
  public boolean isConfigured(Configuration configuration) {
    return configuration.contains(OtlpOptions.ENDPOINT);
  }

  @Override
  public MetricReporter start(Configuration configuration, MetricSource source) {
    return OtlpReporter.start(configuration, source);
  }
}
