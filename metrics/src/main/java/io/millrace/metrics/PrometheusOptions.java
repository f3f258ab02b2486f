package io.millrace.metrics;

import io.millrace.core.config.Option;
import io.millrace.core.config.PortRange;

/** Options of the endpoint for Prometheus. */
final class PrometheusOptions {
  public static final Option<PortRange> PORT =
      Option.ports(
          "metrics.reporter.prom.port",
          "Port at which each process shows its metrics to Prometheus under /metrics; a range such"
              + " as 9249-9259 binds a free port of it, so that several processes fit on a"
              + " machine. Without it there is no endpoint.");
  public static final Option<String> HOST =
      Option.text(
          "metrics.reporter.prom.host",
          "127.0.0.1",
          "Address to which the endpoint for Prometheus binds. Beyond loopback it needs"
              + " security.ssl.rest.enabled and a token (security.rest.reader-token-file or"
              + " security.rest.token-file).");

  private PrometheusOptions() {}
}
