package io.millrace.metrics;

import io.millrace.core.config.Option;
import java.time.Duration;

/** Options of the push of metrics by the protocol of OpenTelemetry. */
final class OtlpOptions {
  static final Option<String> ENDPOINT =
      Option.text(
          "metrics.reporter.otel.exporter.endpoint",
          "URL to which each process pushes its metrics by OTLP over HTTP, such as"
              + " http://127.0.0.1:4318/v1/metrics. Without it nothing is pushed.");
  static final Option<Duration> INTERVAL =
      Option.duration(
              "metrics.reporter.otel.interval", "10 s", "Time between two pushes of metrics.")
          .atLeast("100 ms");
  static final Option<Duration> TIMEOUT =
      Option.duration(
              "metrics.reporter.otel.exporter.timeout",
              "10 s",
              "How long a push of metrics waits for the answer of the receiver.")
          .atLeast("1 ms");
  static final Option<String> SERVICE_NAME =
      Option.text(
          "metrics.reporter.otel.service.name",
          "millrace",
          "The attribute service.name of metrics that are pushed.");

  private OtlpOptions() {}
}
