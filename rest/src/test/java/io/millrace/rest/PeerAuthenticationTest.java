package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.RestAuthentication;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that serves the user that runs it, and other users with the token. */
class PeerAuthenticationTest {
  private static final String TOKEN = "token-of-peer-authentication-test";

  @TempDir private Path directory;
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    RestSettings open = FakeCluster.settings(directory);
    cluster =
        new FakeCluster(
            new RestSettings(
                open.bindAddress(),
                open.address(),
                open.ports(),
                open.uploadDir(),
                open.maxContentLength(),
                open.longestWait(),
                new RestAuthenticator(RestAuthentication.PEER, Optional.of(TOKEN), List.of()),
                open.connections(),
                open.tls(),
                open.refusal(),
                WebSettings.DEFAULT));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void servesOwnUserWithoutToken() {
    // A second request on the same connection is served, too.
    for (int i = 0; i < 3; i++) {
      assertThat(cluster.get("/jobs").status()).isEqualTo(200);
      assertThat(cluster.send("POST", "/jobs", "{").status()).isEqualTo(400);
    }
  }

  @Test
  void servesManyConnectionsOfOwnUser() throws IOException {
    List<RawConnection> open = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        open.add(new RawConnection(cluster.port()));
      }
      for (RawConnection raw : open) {
        raw.send(request("GET", ""));
      }
      for (RawConnection raw : open) {
        assertThat(raw.answer()).startsWith("HTTP/1.1 200");
      }
    } finally {
      for (RawConnection raw : open) {
        raw.close();
      }
    }
  }

  @Test
  void rejectsOtherUsersWithoutToken() throws Exception {
    for (String method : List.of("GET", "POST", "DELETE")) {
      assertThat(OtherUser.exchange(cluster.port(), request(method, "")))
          .startsWith("HTTP/1.1 401")
          .contains("WWW-Authenticate: Bearer", "serves the user that runs it");
    }
    assertThat(OtherUser.exchange(cluster.port(), request("GET", "Bearer of-another-cluster")))
        .startsWith("HTTP/1.1 401");
    assertThat(OtherUser.exchange(cluster.port(), request("GET", "Bearer " + TOKEN)))
        .startsWith("HTTP/1.1 200");
  }

  private static String request(String method, String authorization) {
    return method
        + " /jobs HTTP/1.1\r\nHost: localhost\r\n"
        + (authorization.isEmpty() ? "" : "Authorization: " + authorization + "\r\n")
        + "Connection: close\r\n\r\n";
  }
}
