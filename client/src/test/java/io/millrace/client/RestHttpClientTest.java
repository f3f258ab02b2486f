package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RestHttpClient.Body;
import io.millrace.client.RestHttpClient.NotHttpException;
import io.millrace.client.RestHttpClient.Response;
import io.millrace.core.testing.Behaviour;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RestHttpClientTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @TempDir private Path directory;

  @Test
  void readsABodyOfGivenLength() throws Exception {
    Response response = get("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more");
    assertThat(response.status()).isEqualTo(200);
    assertThat(text(response)).isEqualTo("hello");
  }

  @Test
  void readsABodyInChunks() throws Exception {
    String chunks = "5\r\nhello\r\nA;name=value\r\n, chunks! \r\n0\r\n\r\n";
    Response response = get("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n" + chunks);
    assertThat(text(response)).isEqualTo("hello, chunks! ");
  }

  @Test
  void readsABodyUntilTheEndOfTheConnection() throws Exception {
    assertThat(text(get("HTTP/1.0 200 OK\r\n\r\neverything"))).isEqualTo("everything");
  }

  @Test
  void acceptsLinesWithoutCarriageReturn() throws Exception {
    assertThat(text(get("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"))).isEqualTo("ok");
  }

  @Test
  void findsHeadersInAnyCase() throws Exception {
    Response response = get("HTTP/1.1 200 OK\r\nMILLRACE-count:  3 \r\nContent-Length: 0\r\n\r\n");
    assertThat(response.header("Millrace-Count")).isEqualTo("3");
    assertThat(response.header("Millrace-First")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 304})
  void answerWithoutContentHasNoBody(int status) throws Exception {
    assertThat(get("HTTP/1.1 " + status + " X\r\nContent-Length: 5\r\n\r\n").body()).isEmpty();
  }

  @Test
  void answerToAHeadRequestHasNoBody() throws Exception {
    try (RawServer server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")) {
      Response response = client(server).send("HEAD", "/blobs/x", Body.NONE, TIMEOUT);
      assertThat(response.body()).isEmpty();
      assertThat(server.request()).startsWith("HEAD /blobs/x HTTP/1.1\r\n");
    }
  }

  @Test
  void doesNotFollowRedirectsOfOtherServers() throws Exception {
    Response response =
        get("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
    assertThat(response.status()).isEqualTo(302);
    assertThat(response.header("location")).isEqualTo("http://127.0.0.1:1/");
  }

  @Test
  void requestNamesHostAndClosesTheConnection() throws Exception {
    try (RawServer server = RawServer.answering("HTTP/1.1 204 X\r\n\r\n")) {
      client(server).send("DELETE", "/cluster?x=1", Body.NONE, TIMEOUT);
      assertThat(server.request())
          .startsWith("DELETE /cluster?x=1 HTTP/1.1\r\nHost: " + server.address() + "\r\n")
          .contains("\r\nConnection: close\r\n")
          .doesNotContain("Content-Length", "Content-Type", "Authorization");
    }
  }

  @Test
  void presentsTheToken() throws Exception {
    try (RawServer server = RawServer.answering("HTTP/1.1 204 X\r\n\r\n")) {
      ClusterAddress address =
          new ClusterAddress(server.address(), Optional.of("secret"), Optional.empty());
      new RestHttpClient(address, TIMEOUT).send("GET", "/", Body.NONE, TIMEOUT);
      assertThat(server.request()).contains("\r\nAuthorization: Bearer secret\r\n");
    }
  }

  @Test
  void sendsJsonWithItsLengthInBytes() throws Exception {
    try (RawServer server = RawServer.answering("HTTP/1.1 204 X\r\n\r\n")) {
      client(server).send("POST", "/jobs", Body.json("{\"ü\":1}"), TIMEOUT);
      assertThat(server.request())
          .contains("\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"");
    }
  }

  @Test
  void sendsTheBytesOfAFile() throws Exception {
    Path file = Files.writeString(directory.resolve("a.jar"), "content of the jar");
    try (RawServer server = RawServer.answering("HTTP/1.1 201 X\r\nContent-Length: 0\r\n\r\n")) {
      client(server).send("PUT", "/blobs/x", Body.file(file), TIMEOUT);
      assertThat(server.request())
          .contains("\r\nContent-Type: application/octet-stream\r\nContent-Length: 18\r\n")
          .endsWith("\r\n\r\ncontent of the jar");
    }
  }

  @Test
  @Behaviour("B4: a client follows a standby to the leading JobManager and stays with it")
  void followsARedirectWithMethodAndBodyAndRemembersTheLeader() throws Exception {
    RawServer leader = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    RawServer standby =
        RawServer.answering(
            "HTTP/1.1 307 X\r\nLocation: http://"
                + leader.address()
                + "/jobs\r\nContent-Length: 0\r\n\r\n");
    RestHttpClient client = client(standby);
    assertThat(text(client.send("POST", "/jobs", Body.json("{}"), TIMEOUT))).isEqualTo("ok");
    assertThat(leader.request())
        .startsWith("POST /jobs HTTP/1.1\r\nHost: " + leader.address() + "\r\n")
        .endsWith("\r\n\r\n{}");
    assertThat(client.leader()).isEqualTo(leader.address());

    leader.close();
    // The standby may know the next leader; here it is gone, too.
    standby.close();
    assertThatThrownBy(() -> client.send("GET", "/", Body.NONE, TIMEOUT))
        .isInstanceOf(ConnectException.class);
    assertThat(client.leader()).isEqualTo(standby.address());
  }

  @Test
  void redirectWithoutAnAddressIsAnError() throws Exception {
    assertThatThrownBy(
            () -> get("HTTP/1.1 307 X\r\nLocation: elsewhere\r\nContent-Length: 0\r\n\r\n"))
        .hasMessageContaining("redirected to no JobManager: elsewhere");
  }

  @Test
  void missingFileIsAnErrorBeforeTheRequest() {
    assertThatThrownBy(() -> Body.file(directory.resolve("missing.jar")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 -20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n"
      })
  void malformedAnswerIsNotHttp(String answer) {
    assertThatThrownBy(() -> get(answer)).isInstanceOf(NotHttpException.class);
  }

  @Test
  void endlessLineIsNotHttp() {
    assertThatThrownBy(() -> get("HTTP/1.1 200 OK\r\nX: " + "x".repeat(70_000)))
        .isInstanceOf(NotHttpException.class);
  }

  @Test
  void answerThatEndsEarlyNamesTheMissingBytes() {
    assertThatThrownBy(() -> get("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"))
        .isInstanceOf(EOFException.class)
        .hasMessage("the answer ended after 5 of 10 bytes");
    assertThatThrownBy(() -> get("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe"))
        .hasMessage("the answer ended after 2 of 5 bytes");
    assertThatThrownBy(() -> get("HTTP/1.1 200 OK\r\nContent-Le"))
        .hasMessage("the connection was closed before the answer was complete");
  }

  @Test
  void connectionThatClosesWithoutAnAnswerSuggestsTls() {
    assertThatThrownBy(() -> get(""))
        .isInstanceOf(EOFException.class)
        .hasMessageContaining("without an answer")
        .hasMessageContaining("security.ssl.rest.enabled");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"})
  void serverThatStopsSendingIsATimeout(String beginning) throws Exception {
    try (RawServer server = RawServer.stoppingAfter(beginning)) {
      assertThatThrownBy(() -> client(server).send("GET", "/", Body.NONE, Duration.ofMillis(20)))
          .isInstanceOf(SocketTimeoutException.class);
    }
  }

  private static Response get(String answer) throws IOException {
    try (RawServer server = RawServer.answering(answer)) {
      return client(server).send("GET", "/path", Body.NONE, TIMEOUT);
    }
  }

  private static RestHttpClient client(RawServer server) {
    return new RestHttpClient(ClusterAddress.plain(server.address()), TIMEOUT);
  }

  private static String text(Response response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }
}
