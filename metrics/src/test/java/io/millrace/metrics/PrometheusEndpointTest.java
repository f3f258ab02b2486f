package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.metric.MetricReporters;
import io.millrace.core.metric.MetricSample;
import io.millrace.core.metric.MetricSource;
import io.millrace.core.metric.MetricValue;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.RestToken;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testtls.TestAuthority;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class PrometheusEndpointTest {
  private static final List<String> TASK = List.of("taskmanager", "job", "task");
  private static final MetricValue.Distribution SIZES =
      new MetricValue.Distribution(9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);

  @TempDir Path directory;

  private static MetricSample sample(String name, Map<String, String> labels, MetricValue value) {
    return new MetricSample(TASK, name, labels, value);
  }

  private static PrometheusEndpoint start(Configuration configuration, MetricSample... samples) {
    MetricSource source = () -> CompletableFuture.completedFuture(List.of(samples));
    return (PrometheusEndpoint)
        new PrometheusReporterProvider()
            .start(configuration.with(PrometheusOptions.PORT.key(), "0"), source);
  }

  private static HttpResponse<String> get(HttpClient client, String url, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  @Behaviour("I3: Prometheus scrapes the metrics of a process")
  void scrapeHasTheMetricsOfTheEngineOfProgramsAndOfTheJvm() throws Exception {
    try (PrometheusEndpoint endpoint =
        start(
            Configuration.EMPTY,
            sample("numRecordsIn", Map.of("subtask_index", "0"), new MetricValue.Count(7)),
            sample("numRecordsIn", Map.of("subtask_index", "1"), new MetricValue.Count(8)),
            sample("sold", Map.of("shop", "a \"b\"\n"), new MetricValue.Rate(1, 2.5)),
            sample("sizes", Map.of(), SIZES),
            sample("name", Map.of(), new MetricValue.Text("no number")))) {
      HttpResponse<String> answer = get(HttpClient.newHttpClient(), endpoint.toString());

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type"))
          .contains(PrometheusScrape.CONTENT_TYPE);
      assertThat(answer.body())
          .contains(
              "flink_taskmanager_job_task_numRecordsIn{subtask_index=\"0\"} 7.0\n",
              "flink_taskmanager_job_task_numRecordsIn{subtask_index=\"1\"} 8.0\n",
              "flink_taskmanager_job_task_sold{shop=\"a \\\"b\\\"\\n\"} 2.5\n",
              "flink_taskmanager_job_task_sizes{quantile=\"0.99\"} 10.0\n",
              "flink_taskmanager_job_task_sizes_count 9",
              "\njvm_memory_used_bytes{")
          .doesNotContain("no number");
    }
  }

  @Test
  void namesAndLabelsOfProgramsCannotBreakTheScrape() throws Exception {
    try (PrometheusEndpoint endpoint =
        start(
            Configuration.EMPTY,
            sample("a b", Map.of("x.y", "1", "x_y", "2"), new MetricValue.Count(1)),
            sample("a.b", Map.of("x.y", "1", "x_y", "2"), new MetricValue.Count(2)),
            sample("a_b", Map.of(), SIZES),
            sample("orders_total", Map.of("quantile", "1"), new MetricValue.Count(3)),
            sample("größe{}\n", Map.of("__name__", "z", "", "leer"), new MetricValue.Level(4)),
            sample("s", Map.of("quantile", "1"), SIZES))) {
      HttpResponse<String> answer = get(HttpClient.newHttpClient(), endpoint.toString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.body()).contains("flink_taskmanager_job_task_a_b{");
    }
  }

  @Test
  @Behaviour("I4: pages of other sites cannot read metrics on loopback")
  void onlyNamesOfLoopbackAreAnswered() throws Exception {
    try (PrometheusEndpoint endpoint = start(Configuration.EMPTY)) {
      for (String host : List.of("localhost:1", "127.0.0.1", "[::1]:9")) {
        assertThat(raw(endpoint.port(), host)).as(host).startsWith("HTTP/1.1 200");
      }
      for (String host : List.of("evil.example:80", "localhost.evil.example", "10.0.0.1")) {
        assertThat(raw(endpoint.port(), host)).as(host).startsWith("HTTP/1.1 401");
      }
      HttpClient client = HttpClient.newHttpClient();
      assertThat(get(client, endpoint + "/more").statusCode()).isEqualTo(404);
    }
  }

  private static String raw(int port, String host) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket
          .getOutputStream()
          .write(
              ("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  @Behaviour("I4: metrics are not shown beyond loopback without TLS and a token")
  void endpointBeyondLoopbackNeedsTlsAndAToken() throws Exception {
    Configuration everywhere = Configuration.EMPTY.with(PrometheusOptions.HOST, "0.0.0.0");
    assertThatThrownBy(() -> start(everywhere))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("security.ssl.rest.enabled")
        .hasMessageContaining("security.rest.reader-token-file");

    String token = RestToken.random();
    Path file =
        Files.createFile(
            directory.resolve("token"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, token);
    Configuration rest = TestAuthority.make(directory).rest("localhost");
    Configuration closed =
        rest.with(PrometheusOptions.HOST, "0.0.0.0")
            .with(SecurityOptions.REST_READER_TOKEN_FILE, file);
    try (PrometheusEndpoint endpoint = start(closed)) {
      HttpClient client = HttpClient.newBuilder().sslContext(trusting(rest)).build();
      String url = "https://localhost:" + endpoint.port() + "/metrics";
      assertThat(get(client, url).statusCode()).isEqualTo(401);
      assertThat(get(client, url, "Authorization", "Bearer " + "x".repeat(64)).statusCode())
          .isEqualTo(401);
      assertThat(get(client, url, "Authorization", "Bearer " + token).statusCode()).isEqualTo(200);
    }
  }

  private static SSLContext trusting(Configuration rest) throws Exception {
    KeyStore store =
        KeyStore.getInstance(
            new File(rest.get(RestTlsOptions.TRUSTSTORE)),
            rest.get(RestTlsOptions.TRUSTSTORE_PASSWORD).toCharArray());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  @Test
  void processesOfAMachineShareARangeOfPorts() {
    try (PrometheusEndpoint first = start(Configuration.EMPTY)) {
      String range = first.port() + "-" + (first.port() + 20);
      MetricSource none = () -> CompletableFuture.completedFuture(List.of());
      Configuration configuration = Configuration.EMPTY.with(PrometheusOptions.PORT.key(), range);
      try (PrometheusEndpoint second =
          (PrometheusEndpoint) new PrometheusReporterProvider().start(configuration, none)) {
        assertThat(second.port()).isBetween(first.port() + 1, first.port() + 20);
      }
    }
  }

  @Test
  void sourceThatFailsIsReported() throws Exception {
    MetricSource broken =
        () -> CompletableFuture.failedFuture(new IllegalStateException("not now"));
    Configuration configuration = Configuration.EMPTY.with(PrometheusOptions.PORT.key(), "0");
    try (PrometheusEndpoint endpoint =
        (PrometheusEndpoint) new PrometheusReporterProvider().start(configuration, broken)) {
      assertThat(get(HttpClient.newHttpClient(), endpoint.toString()).statusCode()).isEqualTo(503);
    }
  }

  @Test
  void reporterStartsOnlyWhereItIsConfigured() {
    MetricSource none = () -> CompletableFuture.completedFuture(List.of());
    try (MetricReporters off = MetricReporters.start(Configuration.EMPTY, Plugins.NONE, none);
        MetricReporters on =
            MetricReporters.start(
                Configuration.EMPTY.with(PrometheusOptions.PORT.key(), "0"), Plugins.NONE, none)) {
      assertThat(off).hasToString("Reporters of metrics: none");
      assertThat(on.toString()).contains("http://127.0.0.1:");
    }
  }
}
