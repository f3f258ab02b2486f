package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.rest.FakeCluster.Answer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds for each path: its methods, its encodings, and the pages that may use it. */
class HttpMethodsTest {
  private static final String OPERATOR = "0123456789abcdef0123456789abcdef";
  private static final String READER = "fedcba9876543210fedcba9876543210";
  private static final String SITE = "https://dashboard.example";
  private static final String JOB = "/jobs/" + SampleJobs.RUNNING;

  private static final String CANCELED = "/jobs/" + SampleJobs.CANCELED;

  @TempDir private Path directory;

  private FakeCluster cluster() {
    RestSettings usual = FakeCluster.settings(directory);
    return new FakeCluster(
        new RestSettings(
            usual.bindAddress(),
            usual.address(),
            usual.ports(),
            usual.uploadDir(),
            usual.maxContentLength(),
            usual.longestWait(),
            new RestAuthenticator(
                RestAuthentication.TOKEN, Optional.of(OPERATOR), Optional.of(READER), List.of()),
            usual.connections(),
            usual.tls(),
            usual.refusal(),
            new WebSettings(Duration.ofSeconds(7), List.of(SITE))));
  }

  private static Answer send(
      FakeCluster cluster, String method, String path, String token, String... headers) {
    var request = cluster.request(path).method(method, BodyPublishers.noBody());
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return cluster.send(headers.length == 0 ? request : request.headers(headers));
  }

  @Test
  @Behaviour("I1: HEAD and OPTIONS apply to each path that can be read")
  void headAnswersWithTheHeadersOfGet() {
    try (FakeCluster cluster = cluster()) {
      for (String path : List.of("/overview", JOB, "/v1" + JOB, "/jobs/x", "/nowhere")) {
        Answer got = send(cluster, "GET", path, READER);
        Answer head = send(cluster, "HEAD", path, READER);
        assertThat(head.status()).as(path).isEqualTo(got.status());
        assertThat(head.body()).isEmpty();
        assertThat(head.header("Content-Type")).isEqualTo(got.header("Content-Type"));
      }
      Answer head = send(cluster, "HEAD", "/config", READER);
      assertThat(head.header("Content-Length"))
          .isEqualTo(send(cluster, "GET", "/config", READER).header("Content-Length"));
      assertThat(send(cluster, "HEAD", "/config", "").status()).isEqualTo(401);
    }
  }

  @Test
  @Behaviour("I1: HEAD and OPTIONS apply to each path that can be read")
  void optionsNameTheMethodsOfAPath() {
    try (FakeCluster cluster = cluster()) {
      assertThat(send(cluster, "OPTIONS", JOB, READER).header("Allow"))
          .isEqualTo("GET, HEAD, PATCH, OPTIONS");
      assertThat(send(cluster, "OPTIONS", "/v1/jars/upload", READER).header("Allow"))
          .contains("POST");
      assertThat(send(cluster, "OPTIONS", JOB + "/yarn-cancel", READER).header("Allow"))
          .isEqualTo("GET, OPTIONS");
      assertThat(send(cluster, "OPTIONS", "/nowhere", READER).status()).isEqualTo(404);
      assertThat(send(cluster, "OPTIONS", JOB, "").status()).isEqualTo(401);
    }
  }

  @Test
  @Behaviour("I4: REST binds beyond loopback only with authentication")
  void readersSendNoGetWithAnEffect() {
    try (FakeCluster cluster = cluster()) {
      for (String path : List.of(JOB + "/yarn-cancel", "/v1" + JOB + "/yarn-cancel")) {
        assertThat(send(cluster, "GET", path, READER).status()).isEqualTo(403);
        assertThat(send(cluster, "HEAD", path, READER).status()).isEqualTo(405);
      }
      assertThat(send(cluster, "GET", "/jars/any.jar/plan", READER).status()).isEqualTo(403);
      for (String spelled :
          List.of(
              JOB + "/yarn-cancel/",
              JOB + "/yarn%2Dcancel",
              "/" + JOB + "/yarn-cancel",
              "/v1/." + JOB + "/yarn-cancel",
              "/jars/any.jar/plan/")) {
        assertThat(send(cluster, "GET", spelled, READER).status()).as(spelled).isIn(403, 404);
      }
      assertThat(cluster.dispatcher.received).isEmpty();
      assertThat(send(cluster, "GET", JOB + "/yarn-cancel", OPERATOR).status()).isEqualTo(202);
    }
  }

  @Test
  void compressesTextForClientsThatAcceptIt() throws IOException {
    try (FakeCluster cluster = cluster()) {
      Answer plain = send(cluster, "GET", CANCELED, READER);
      Answer small = send(cluster, "GET", "/overview", READER, "Accept-Encoding", "gzip");
      Answer zipped = send(cluster, "GET", CANCELED, READER, "Accept-Encoding", "br, gzip");
      assertThat(plain.header("Content-Encoding")).isEmpty();
      assertThat(small.header("Content-Encoding")).isEmpty();
      assertThat(zipped.header("Content-Encoding")).isEqualTo("gzip");
      assertThat(zipped.response().body().length).isLessThan(plain.response().body().length);
      try (var in = new GZIPInputStream(new ByteArrayInputStream(zipped.response().body()))) {
        JsonObject job = new JsonObject(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        assertThat(job.getJsonArray("vertices")).isEqualTo(plain.json().getJsonArray("vertices"));
      }
    }
  }

  @Test
  void acceptsNoGzipWithWeightZero() {
    assertThat(GzipEncoding.accepts("deflate, GZIP;q=0.5")).isTrue();
    for (String header : List.of("", "deflate", "gzip;q=0", "gzip; q=0.0", "xgzip")) {
      assertThat(GzipEncoding.accepts(header)).as(header).isFalse();
    }
  }

  @Test
  @Behaviour("I4: a page of another site is refused unless its origin is allowed")
  void pagesOfAllowedOriginsMaySendRequests() {
    try (FakeCluster cluster = cluster()) {
      Answer preflight =
          send(
              cluster,
              "OPTIONS",
              JOB,
              "",
              "Origin",
              SITE,
              "Access-Control-Request-Method",
              "PATCH");
      assertThat(preflight.status()).isEqualTo(200);
      assertThat(preflight.header("Access-Control-Allow-Origin")).isEqualTo(SITE);
      assertThat(preflight.header("Access-Control-Allow-Methods")).contains("PATCH");
      assertThat(preflight.header("Access-Control-Allow-Headers")).contains("Authorization");

      Answer read =
          send(cluster, "GET", JOB, READER, "Origin", SITE, "Sec-Fetch-Site", "cross-site");
      assertThat(read.status()).isEqualTo(200);
      assertThat(read.header("Access-Control-Allow-Origin")).isEqualTo(SITE);
      assertThat(read.header("Vary")).isEqualTo("Origin");

      // An allowed page has no more rights than its token.
      assertThat(send(cluster, "GET", JOB, "", "Origin", SITE).status()).isEqualTo(401);
      Answer other = send(cluster, "GET", JOB, OPERATOR, "Origin", "https://evil.example");
      assertThat(other.status()).isEqualTo(403);
      assertThat(other.header("Access-Control-Allow-Origin")).isEmpty();
    }
  }

  @Test
  void allowsNamedOriginsOnly() {
    for (String origin :
        List.of("*", "dashboard.example", "https://a.example/", "ftp://a.example")) {
      Configuration configuration =
          Configuration.EMPTY.with(RestOptions.ALLOWED_ORIGINS.key(), origin);
      assertThatThrownBy(() -> WebSettings.of(configuration))
          .as(origin)
          .isInstanceOf(MillraceException.class)
          .hasMessageContainingAll(origin, RestOptions.ALLOWED_ORIGINS.key());
    }
    Configuration two =
        Configuration.EMPTY.with(
            RestOptions.ALLOWED_ORIGINS.key(), "https://A.example;http://b.example:3000");
    assertThat(WebSettings.of(two).allowedOrigins())
        .containsExactly("https://a.example", "http://b.example:3000");
  }

  @Test
  void dashboardLearnsTheRefreshInterval() {
    try (FakeCluster cluster = cluster()) {
      assertThat(send(cluster, "GET", "/config", READER).json().getLong("refresh-interval"))
          .isEqualTo(7000);
    }
  }
}
