package io.millrace.core.metric;

import io.millrace.core.config.Configuration;

/**
 * Starts a reporter of metrics. {@link java.util.ServiceLoader} finds it on the class path and in
 * plugins. A provider has a public constructor without arguments that loads no library.
 */
public interface MetricReporterProvider {
  /** Whether the configuration asks for this reporter. */
  boolean isConfigured(Configuration configuration);

  /** Starts the reporter. */
  MetricReporter start(Configuration configuration, MetricSource source);
}
