package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.BindPorts;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.rest.FakeCluster.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileInputTest extends RestTestBase {
  @Test
  void servesRequestsAfterInvalidBytes() throws IOException {
    Random random = new Random(11);
    for (int i = 0; i < 50; i++) {
      byte[] garbage = new byte[1 + random.nextInt(5000)];
      random.nextBytes(garbage);
      try (RawConnection raw = new RawConnection(cluster.port())) {
        raw.send(garbage);
      }
    }
    assertThat(cluster.get("/overview").status()).isEqualTo(200);
  }

  @Test
  @Behaviour("I1: an error is one sentence in JSON with a status")
  void answersInvalidHttpWithJsonError() throws IOException {
    assertThat(exchange("\u0016\u0003\u0001 hello\r\n\r\n"))
        .contains(" 400 ")
        .contains("{\"errors\":[\"The request is malformed.\"]}");
  }

  @Test
  @Behaviour("I4: REST bounds request lines, headers, bodies and nesting")
  void rejectsLongRequestLinesAndHeaders() throws IOException {
    assertThat(exchange("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        .contains(" 414 ")
        .contains("errors");
    assertThat(
            exchange(
                "GET /jobs HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(20_000) + "\r\n\r\n"))
        .contains(" 431 ")
        .contains("errors");
  }

  @ParameterizedTest
  @CsvSource({
    "/jobs/%zz, 400",
    "/jobs/%00, 400",
    "/jobs/..%2f..%2fetc, 400",
    "/jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/vertices/x, 400",
    "/jobs/4b7ff3e3d2b7d9b86e9f2a5fe41e8240/vertices/00000000000000000000000000000000, 404",
    "/taskmanagers/nobody, 404",
    "/blobs/xyz, 405",
    "/v1, 404",
    "/v1/v1/jobs, 404",
    "/jobs/overview/x, 404",
  })
  @Behaviour("I1: an error is one sentence in JSON with a status")
  void answersInvalidPathsWithOneSentence(String path, int status) throws IOException {
    String answer =
        exchange("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 " + status).contains("{\"errors\":[\"");
    assertThat(answer).doesNotContain("Exception").doesNotContain("\tat ");
  }

  @Test
  void rejectsOtherHosts() throws IOException {
    assertThat(exchange("GET /jobs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 403")
        .contains("rest.address");
    assertThat(exchange("GET /jobs HTTP/1.1\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 400");
    assertThat(exchange("GET /jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200");
  }

  @ParameterizedTest
  @CsvSource({
    "Host: localhost, Host: evil.example",
    "Host: evil.example, Host: localhost",
    "host: localhost, HOST: localhost",
    "Origin: null, Origin: http://localhost",
    "Authorization: Bearer x, Authorization: Bearer y",
  })
  void rejectsRepeatedSecurityHeaders(String first, String second) throws IOException {
    String host = first.toLowerCase(Locale.ROOT).startsWith("host") ? "" : "Host: localhost\r\n";
    assertThat(
            exchange(
                "GET /jobs HTTP/1.1\r\n"
                    + host
                    + first
                    + "\r\n"
                    + second
                    + "\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 400")
        .contains("errors");
  }

  @Test
  void rejectsRequestsFromOtherSites() {
    String job = "/jobs/" + SampleJobs.RUNNING;
    Answer foreign =
        cluster.send(
            cluster.request(job).header("Origin", "http://evil.example").method("PATCH", empty()));
    Answer sandboxed =
        cluster.send(cluster.request(job).header("Origin", "null").method("PATCH", empty()));
    Answer crossSite =
        cluster.send(cluster.request(job).header("Sec-Fetch-Site", "cross-site").GET());
    assertThat(List.of(foreign, sandboxed, crossSite)).extracting(Answer::status).containsOnly(403);
    assertThat(cluster.dispatcher.received).isEmpty();

    Answer own =
        cluster.send(
            cluster
                .request(job)
                .header("Origin", "http://" + cluster.address)
                .method("PATCH", empty()));
    assertThat(own.status()).isEqualTo(202);
  }

  private static java.net.http.HttpRequest.BodyPublisher empty() {
    return java.net.http.HttpRequest.BodyPublishers.noBody();
  }

  @Test
  void setsSecurityHeaders() {
    Answer answer = cluster.get("/jobs");
    assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    assertThat(answer.header("Content-Security-Policy")).contains("default-src 'none'");
    assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
  }

  @Test
  @Behaviour("I4: REST bounds request lines, headers, bodies and nesting")
  void rejectsLargeJsonBodies() {
    Answer answer = cluster.send("POST", "/jobs", " ".repeat(2 << 20));
    assertThat(answer.status()).isEqualTo(413);
  }

  @Test
  void clientCanReadWhyItsBodyIsRejected() throws IOException {
    for (int i = 0; i < 10; i++) {
      try (RawConnection raw = new RawConnection(cluster.port())) {
        raw.send("POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6000000\r\n\r\n");
        raw.send(new byte[6_000_000]);
        assertThat(raw.answer()).startsWith("HTTP/1.1 413").contains("max-content-length");
      }
    }
  }

  @Test
  @Behaviour("I4: REST bounds request lines, headers, bodies and nesting")
  void rejectsDeeplyNestedJson() {
    assertThat(cluster.send("POST", "/jobs", "{\"a\":" + "[".repeat(100_000)).status())
        .isEqualTo(400);
  }

  @Test
  void deletesUploadOfClosedConnection() throws IOException {
    try (RawConnection raw = new RawConnection(cluster.port())) {
      raw.send(
          "PUT /blobs/"
              + "0".repeat(64)
              + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
              + "x".repeat(600_000));
      waitFor(() -> !files().isEmpty());
    }
    waitFor(() -> files().isEmpty());
  }

  private List<String> files() {
    String[] names = directory.toFile().list();
    return names == null ? List.of() : List.of(names);
  }

  private static void waitFor(java.util.function.BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "192.0.2.1", "::"})
  void listensOnLoopbackOnly(String address) {
    assertThatThrownBy(() -> FakeCluster.await(server(address, 0).start()))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContainingAll("rest.bind-address", address, "security.rest.token-file");
  }

  @Test
  @Behaviour("I4: REST binds beyond loopback only with authentication")
  void listensBeyondLoopbackWithToken() throws IOException {
    RestAuthenticator access =
        new RestAuthenticator(
            RestAuthentication.TOKEN, Optional.of("token-of-hostile-input-test"), List.of());
    RestServer server = server("0.0.0.0", 0, access);
    String address = FakeCluster.await(server.start());
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    try {
      assertThat(answer(port, "")).startsWith("HTTP/1.1 401").contains("WWW-Authenticate: Bearer");
      assertThat(answer(port, "Authorization: Bearer wrong-token\r\n")).startsWith("HTTP/1.1 401");
      assertThat(answer(port, "Authorization: Bearer token-of-hostile-input-test\r\n"))
          .startsWith("HTTP/1.1 200");
    } finally {
      FakeCluster.await(server.stop());
    }
  }

  private static String answer(int port, String headers) throws IOException {
    try (RawConnection raw = new RawConnection(port)) {
      raw.send(
          "GET /config HTTP/1.1\r\nHost: localhost\r\n" + headers + "Connection: close\r\n\r\n");
      return raw.answer();
    }
  }

  @Test
  void reportsPortInUse() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      RestServer second = server("127.0.0.1", port);
      assertThatThrownBy(() -> FakeCluster.await(second.start()))
          .cause()
          .isInstanceOf(MillraceException.class)
          .hasMessageContainingAll(":" + port, "rest.port");
      FakeCluster.await(second.stop());
    }
  }

  private RestServer server(String bindAddress, int port) {
    return server(bindAddress, port, FakeCluster.OWN_USER);
  }

  private RestServer server(String bindAddress, int port, RestAuthenticator access) {
    RestSettings settings =
        new RestSettings(
            bindAddress,
            "127.0.0.1",
            BindPorts.of(RestOptions.PORT, PortRange.of(port)),
            directory,
            1000,
            Duration.ofSeconds(1),
            access,
            ConnectionLimits.DEFAULT,
            Optional.empty(),
            Optional.empty(),
            WebSettings.DEFAULT);
    return new RestServer(cluster.rpc(), cluster.leadership(), settings, cluster.backing());
  }

  @Test
  void stopsQuicklyWithPendingRequests() throws IOException {
    List<RawConnection> waiting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      RawConnection raw = new RawConnection(cluster.port());
      raw.send(
          "GET /jobs/"
              + SampleJobs.RUNNING
              + "/result?wait=600000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
      waiting.add(raw);
    }
    waitFor(() -> cluster.dispatcher.received.size() == 20);

    FakeCluster.await(cluster.rest.stop());

    for (RawConnection raw : waiting) {
      raw.close();
    }
    assertThatThrownBy(() -> new RawConnection(cluster.port())).isInstanceOf(IOException.class);
  }

  private String exchange(String request) throws IOException {
    try (RawConnection raw = new RawConnection(cluster.port())) {
      raw.send(request);
      return raw.answer();
    }
  }
}
