package io.millrace.metrics;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.metric.MetricReporter;
import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes all metrics of the process again and again. A push that fails is not repeated, because the
 * next one has newer values.
 */
final class OtlpReporter implements MetricReporter {
  private static final Logger LOG = LoggerFactory.getLogger(OtlpReporter.class);

  /** Receivers bound the size of a request; this many metrics have some hundred kilobytes. */
  private static final int MAX_SAMPLES = 2_000;

  private final URI endpoint;
  private final Duration timeout;
  private final OtlpEncoder encoder;
  private final MetricSource source;
  private final HttpClient http;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread pushing = new Thread(work, "metrics-otlp");
            pushing.setDaemon(true);
            return pushing;
          });

  /** Whether the last push failed; used by the thread only. */
  private boolean failing;

  private OtlpReporter(URI endpoint, Duration timeout, OtlpEncoder encoder, MetricSource source) {
    this.endpoint = endpoint;
    this.timeout = timeout;
    this.encoder = encoder;
    this.source = source;
    this.http = HttpClient.newBuilder().connectTimeout(timeout).build();
  }

  static OtlpReporter start(Configuration configuration, MetricSource source) {
    OtlpReporter reporter =
        new OtlpReporter(
            endpoint(configuration.get(OtlpOptions.ENDPOINT)),
            configuration.get(OtlpOptions.TIMEOUT),
            new OtlpEncoder(configuration.get(OtlpOptions.SERVICE_NAME)),
            source);
    long interval = configuration.get(OtlpOptions.INTERVAL).toMillis();
    reporter.thread.scheduleWithFixedDelay(
        reporter::push, interval, interval, TimeUnit.MILLISECONDS);
    return reporter;
  }

  private static URI endpoint(String text) {
    try {
      URI uri = URI.create(text);
      if (uri.getHost() != null && List.of("http", "https").contains(uri.getScheme())) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw malformed(text, e);
    }
    throw malformed(text, null);
  }

  private static MillraceException malformed(String text, Exception cause) {
    return new MillraceException(
        ErrorKind.USER,
        "'"
            + text
            + "' is no URL to push metrics to ("
            + OtlpOptions.ENDPOINT.key()
            + "). Set it to one such as http://127.0.0.1:4318/v1/metrics.",
        cause);
  }

  private void push() {
    try {
      List<MetricSample> samples = source.read().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      for (int from = 0; from < samples.size(); from += MAX_SAMPLES) {
        send(encoder.encode(samples.subList(from, Math.min(samples.size(), from + MAX_SAMPLES))));
      }
      if (failing) {
        LOG.info("Metrics are pushed to {} again", endpoint);
      }
      failing = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | ExecutionException | TimeoutException | RuntimeException | Error e) {
      // An error, too, must not end the schedule.
      if (!failing) {
        LOG.warn(
            "Metrics cannot be pushed to {}: {} The next failures are not logged.",
            endpoint,
            Failure.sentence(Failure.unwrap(e)));
      }
      failing = true;
    }
  }

  private void send(byte[] body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(endpoint)
            .timeout(timeout)
            .header("Content-Type", "application/x-protobuf")
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    int status = http.send(request, BodyHandlers.discarding()).statusCode();
    if (status / 100 != 2) {
      throw new IOException("The receiver answered with status " + status);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  @Override
  public String toString() {
    return "OTLP to " + endpoint;
  }
}
