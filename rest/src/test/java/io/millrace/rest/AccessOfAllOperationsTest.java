package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.RestAuthentication;
import io.millrace.core.testing.Behaviour;
import io.vertx.core.http.HttpMethod;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may use each operation: the list comes from the tables of operations. */
class AccessOfAllOperationsTest {
  private static final String TOKEN = "a-token-of-this-test";
  private static final String READER = "a-token-of-readers-here";

  @TempDir Path directory;
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    RestSettings usual = FakeCluster.settings(directory);
    cluster =
        new FakeCluster(
            new RestSettings(
                usual.bindAddress(),
                usual.address(),
                usual.ports(),
                usual.uploadDir(),
                usual.maxContentLength(),
                usual.longestWait(),
                new RestAuthenticator(
                    RestAuthentication.PEER, Optional.of(TOKEN), Optional.of(READER), List.of()),
                usual.connections(),
                usual.tls(),
                usual.refusal(),
                usual.web()));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private record Call(HttpMethod method, String path, boolean changes) {
    String request(String headers) {
      return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
    }
  }

  /** Each operation, with and without the version in its path. */
  private List<Call> calls() {
    List<Call> calls = new ArrayList<>();
    for (Operation operation : cluster.rest.operations()) {
      String path = operation.path().replaceAll(":[a-z0-9]+", "0").replace("*", "x");
      boolean reads =
          operation.method().equals(HttpMethod.GET) || operation.method().equals(HttpMethod.HEAD);
      boolean changes = operation.effect() || !reads;
      calls.add(new Call(operation.method(), path, changes));
      calls.add(new Call(operation.method(), "/v1" + path, changes));
    }
    assertThat(calls).hasSizeGreaterThan(100);
    return calls;
  }

  @Test
  @Behaviour("I4: another user of the machine gets 401 on every operation of REST")
  void anotherUserIsRefusedEverywhere() throws Exception {
    List<Call> calls = calls();
    for (String credentials :
        List.of(
            "",
            "Authorization: Bearer " + TOKEN + "0\r\n",
            "Authorization: Basic " + TOKEN + "\r\n",
            "Cookie: millrace-session=0\r\n")) {
      List<String> answers =
          OtherUser.exchangeAll(
              cluster.port(), calls.stream().map(call -> call.request(credentials)).toList());
      for (int i = 0; i < calls.size(); i++) {
        assertThat(answers.get(i))
            .as("%s with '%s'", calls.get(i), credentials)
            .startsWith("HTTP/1.1 401");
      }
    }
    assertThat(cluster.dispatcher.received).isEmpty();
    assertThat(cluster.runs).isEmpty();
    assertThat(cluster.blobs).isEmpty();
  }

  @Test
  @Behaviour("I4: a reader reads every operation of REST and changes nothing")
  void readerChangesNothing() throws Exception {
    // Event streams do not end; the other operations that read do.
    List<Call> calls = calls().stream().filter(call -> !call.path().contains("/events")).toList();
    assertThat(calls)
        .as("a GET that cancels")
        .anyMatch(call -> call.method().equals(HttpMethod.GET) && call.changes());
    List<String> answers =
        OtherUser.exchangeAll(
            cluster.port(),
            calls.stream()
                .map(
                    call ->
                        call.request(
                            "Authorization: Bearer " + READER + "\r\nConnection: close\r\n"))
                .toList());
    for (int i = 0; i < calls.size(); i++) {
      if (calls.get(i).changes()) {
        assertThat(answers.get(i)).as("%s", calls.get(i)).startsWith("HTTP/1.1 403");
      } else {
        assertThat(answers.get(i))
            .as("%s", calls.get(i))
            .doesNotStartWith("HTTP/1.1 401")
            .doesNotStartWith("HTTP/1.1 403");
      }
    }
  }

  @Test
  @Behaviour("I4: a page of another site is refused on every operation of REST")
  void pageOfAnotherSiteIsRefusedEverywhere() {
    // The user of the cluster, whose browser shows the page.
    for (Call call : calls()) {
      for (List<String> header :
          List.of(
              List.of("Origin", "http://evil.example"),
              List.of("Origin", "null"),
              List.of("Sec-Fetch-Site", "cross-site"))) {
        assertThat(
                cluster
                    .send(
                        cluster
                            .request(call.path())
                            .header(header.get(0), header.get(1))
                            .method(call.method().name(), BodyPublishers.noBody()))
                    .status())
            .as("%s with %s", call, header)
            .isEqualTo(403);
      }
    }
  }

  @Test
  @Behaviour("I4: a name that was rebound to this address is refused on every operation of REST")
  void reboundNameIsRefusedEverywhere() throws Exception {
    for (Call call : calls()) {
      try (RawConnection connection = new RawConnection(cluster.port())) {
        connection.send(
            call.method()
                + " "
                + call.path()
                + " HTTP/1.1\r\nHost: rebound.example:"
                + cluster.port()
                + "\r\nConnection: close\r\n\r\n");
        assertThat(connection.answer()).as("%s", call).startsWith("HTTP/1.1 403");
      }
    }
  }
}
