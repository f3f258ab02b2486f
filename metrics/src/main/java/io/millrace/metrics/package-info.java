/**
 * Shows the metrics of a process to Prometheus. {@link
 * io.millrace.metrics.PrometheusReporterProvider} is what the engine finds; it loads Micrometer and
 * opens a port only if {@code metrics.reporter.prom.port} is set.
 */
package io.millrace.metrics;
