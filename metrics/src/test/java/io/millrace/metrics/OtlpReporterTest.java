package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import io.millrace.core.metric.MetricReporter;
import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricSource;
import io.millrace.core.metric.MetricValue;
import io.millrace.core.testing.Behaviour;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pushes to a receiver that decodes what it gets. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class OtlpReporterTest {
  private static final List<String> TASK = List.of("taskmanager", "job", "task");

  private final BlockingQueue<ExportMetricsServiceRequest> received = new LinkedBlockingQueue<>();
  private final AtomicInteger refusals = new AtomicInteger();
  private HttpServer receiver;

  @BeforeEach
  void listen() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/v1/metrics",
        exchange -> {
          try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            boolean refuses = refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
            if (!refuses
                && exchange
                    .getRequestHeaders()
                    .getFirst("Content-Type")
                    .equals("application/x-protobuf")) {
              received.add(ExportMetricsServiceRequest.parseFrom(body));
            }
            exchange.sendResponseHeaders(refuses ? 503 : 200, -1);
          }
        });
    receiver.start();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
  }

  private MetricReporter start(List<MetricSample> samples) {
    MetricSource source = () -> CompletableFuture.completedFuture(samples);
    return new OtlpReporterProvider()
        .start(
            Configuration.EMPTY
                .with(
                    OtlpOptions.ENDPOINT,
                    "http://127.0.0.1:" + receiver.getAddress().getPort() + "/v1/metrics")
                .with(OtlpOptions.SERVICE_NAME, "orders")
                .with(OtlpOptions.INTERVAL.key(), "100 ms"),
            source);
  }

  private static MetricSample sample(String name, String subtask, MetricValue value) {
    return new MetricSample(TASK, name, Map.of("subtask_index", subtask), value);
  }

  private static Map<String, Metric> metrics(ExportMetricsServiceRequest request) {
    return request.getResourceMetrics(0).getScopeMetrics(0).getMetricsList().stream()
        .collect(Collectors.toMap(Metric::getName, Function.identity()));
  }

  @Test
  @Behaviour("I3: metrics are pushed by OTLP")
  void receiverGetsAllMetrics() throws Exception {
    List<MetricSample> samples =
        List.of(
            sample("numRecordsIn", "0", new MetricValue.Count(7)),
            sample("numRecordsIn", "1", new MetricValue.Count(8)),
            sample("rate", "0", new MetricValue.Rate(3, 2.5)),
            sample("name", "0", new MetricValue.Text("no number")),
            sample(
                "size", "0", new MetricValue.Distribution(10, 1, 9, 4, 1, 3, 5, 6, 7, 8, 8.5, 8.9)),
            sample("size", "1", new MetricValue.Count(1)));
    try (MetricReporter reporter = start(samples)) {
      assertThat(reporter.toString()).startsWith("OTLP to http://127.0.0.1:");
      ExportMetricsServiceRequest request = received.take();
      assertThat(request.getResourceMetrics(0).getResource().getAttributes(0).getValue())
          .satisfies(value -> assertThat(value.getStringValue()).isEqualTo("orders"));
      Map<String, Metric> metrics = metrics(request);
      String task = "flink.taskmanager.job.task.";
      assertThat(metrics).containsOnlyKeys(task + "numRecordsIn", task + "rate", task + "size");
      assertThat(metrics.get(task + "numRecordsIn").getGauge().getDataPointsList())
          .extracting(point -> point.getAsInt())
          .containsExactly(7L, 8L);
      assertThat(
              metrics
                  .get(task + "numRecordsIn")
                  .getGauge()
                  .getDataPoints(1)
                  .getAttributes(0)
                  .getValue()
                  .getStringValue())
          .isEqualTo("1");
      assertThat(metrics.get(task + "rate").getGauge().getDataPoints(0).getAsDouble())
          .isEqualTo(2.5);
      assertThat(metrics.get(task + "size").getSummary().getDataPointsList())
          .singleElement()
          .satisfies(
              point -> {
                assertThat(point.getCount()).isEqualTo(10);
                assertThat(point.getQuantileValues(4).getValue()).isEqualTo(8.5);
              });
    }
  }

  @Test
  void pushesGoOnAfterAReceiverHasFailed() throws Exception {
    refusals.set(3);
    try (MetricReporter reporter = start(List.of(sample("n", "0", new MetricValue.Count(1))))) {
      assertThat(metrics(received.take())).as(reporter.toString()).hasSize(1);
      assertThat(refusals).hasValue(0);
    }
  }

  @Test
  void manyMetricsAreSplitIntoRequests() throws Exception {
    List<MetricSample> samples = new ArrayList<>();
    for (int i = 0; i < 4_500; i++) {
      samples.add(sample("metric" + i, "0", new MetricValue.Count(i)));
    }
    try (MetricReporter reporter = start(samples)) {
      assertThat(reporter).isNotNull();
      int first = metrics(received.take()).size();
      assertThat(first + metrics(received.take()).size() + metrics(received.take()).size())
          .isEqualTo(4_500);
      assertThat(first).isEqualTo(2_000);
    }
  }

  @Test
  void endpointMustBeAUrl() {
    for (String wrong : List.of("localhost:4318", "ftp://host/x", "http://", "not a url")) {
      Configuration configuration = Configuration.EMPTY.with(OtlpOptions.ENDPOINT, wrong);
      assertThatThrownBy(
              () ->
                  new OtlpReporterProvider()
                      .start(configuration, () -> CompletableFuture.completedFuture(List.of())))
          .as(wrong)
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("metrics.reporter.otel.exporter.endpoint");
    }
  }
}
