/**
 * Shows the metrics of a process to Prometheus and pushes them by the protocol of OpenTelemetry.
 * {@link io.millrace.metrics.PrometheusReporterProvider} and {@link
 * io.millrace.metrics.OtlpReporterProvider} are what the engine finds; they load libraries, and
 * open a port or connect, only if {@code metrics.reporter.prom.port} or {@code
 * metrics.reporter.otel.exporter.endpoint} is set.
 */
package io.millrace.metrics;
