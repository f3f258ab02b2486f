package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.testing.FakeRestServer;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each failure of a request is one sentence with the cause and the remedy. */
class RestRequestsTest {
  private static final JobId JOB = new JobId(new Id128(1, 2));
  private static final String JOBS = "GET /jobs/overview";

  private FakeRestServer server;
  private RestClusterClient client;

  @BeforeEach
  void start() throws IOException {
    server = new FakeRestServer();
    client = new RestClusterClient(server.address(), Duration.ofMinutes(1));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "400,USER",
    "401,USER",
    "403,USER",
    "404,USER",
    "409,USER",
    "413,USER",
    "500,EXTERNAL"
  })
  void errorHasTheMessageOfTheServerAndAKindThatFollowsFromTheStatus(int status, ErrorKind kind) {
    server.answer(JOBS, status, "{\"errors\":[\" The reason. \",\"A detail.\"]}");
    MillraceException error = failure();
    assertThat(error).hasMessage("The reason.").isNotInstanceOf(UnreachableException.class);
    assertThat(error.kind()).isEqualTo(kind);
  }

  @Test
  void unavailableServiceMayBeRequestedAgain() {
    server.answer(JOBS, 503, "{\"errors\":[\"No Dispatcher is the leader.\"]}");
    assertThat(failure())
        .isInstanceOf(UnreachableException.class)
        .hasMessage("No Dispatcher is the leader.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "{}", "{\"errors\":[]}", "<html>502 Bad Gateway</html>", "[1", "null"})
  void errorWithoutAMessageNamesAddressAndStatus(String body) {
    server.answer(JOBS, 502, body);
    assertThat(failure())
        .hasMessage("The JobManager at " + server.address() + " answered with status 502.");
  }

  @Test
  void redirectIsAnErrorThatNamesTheStatus() {
    server.redirect(JOBS, 302, "http://127.0.0.1:1/login");
    MillraceException error = failure();
    assertThat(error)
        .hasMessage("The JobManager at " + server.address() + " answered with status 302.");
    assertThat(error.kind()).isEqualTo(ErrorKind.EXTERNAL);
    assertThat(server.requests()).containsExactly(JOBS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html>", "{\"jobs\":[", "{'jobs':[]}"})
  void answerThatIsNotJsonIsNotThatOfAJobManager(String body) {
    server.answer(JOBS, 200, body);
    assertThat(failure())
        .isInstanceOf(UnreachableException.class)
        .hasMessageStartingWith("No JobManager can be reached at " + server.address() + ": ")
        .hasMessageContaining("is not a JobManager")
        .hasMessageContaining("-m host:port");
  }

  @Test
  void emptyAnswerHasNoJobs() {
    server.answer(JOBS, 200, "");
    assertThat(client.jobs()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jid\":\"7\",\"state\":\"RUNNING\"}",
        "{\"jid\":\"00000000000000000000000000000001\",\"state\":\"SLEEPING\"}",
        "{\"jid\":\"00000000000000000000000000000001\"}",
        "{}"
      })
  void answerWithAnUnknownValueIsAnErrorOfTheServer(String job) {
    server.answer(JOBS, 200, "{\"jobs\":[" + job + "]}");
    MillraceException error = failure();
    assertThat(error)
        .hasMessageStartingWith(
            "The answer of " + server.address() + " to /jobs/overview has an unexpected value: ")
        .hasMessageEndingWith(
            "Check that a JobManager of the version of this client listens there.");
    assertThat(error.kind()).isEqualTo(ErrorKind.EXTERNAL);
  }

  @Test
  void unknownValuesOfOtherAnswersAreErrorsOfTheServer() {
    server.answer("GET /jobs/" + JOB + "/result?wait=0", "{\"status\":\"WHATEVER\"}");
    server.answer("GET /jobs/" + JOB + "/explain", "{\"jid\":\"" + JOB + "\",\"state\":\"X\"}");
    server.answer("GET /jobs/" + JOB + "/timeline", "{\"jid\":\"?\"}");
    assertUnexpected(() -> client.awaitResult(JOB, Duration.ZERO), "/result?wait=0");
    assertUnexpected(() -> client.explain(JOB), "/explain");
    assertUnexpected(() -> client.timeline(JOB), "/timeline");
  }

  private static void assertUnexpected(Runnable call, String path) {
    assertThatThrownBy(call::run)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(path + " has an unexpected value");
  }

  @Test
  void slowAnswerNamesTheTimeAndTheOption() throws Exception {
    try (RawServer silent = RawServer.stoppingAfter("")) {
      Configuration impatient =
          Configuration.EMPTY.with(ClientOptions.CLIENT_TIMEOUT, Duration.ofMillis(20));
      try (RestClusterClient slow = RestClusterClient.at(silent.address(), impatient)) {
        assertThatThrownBy(slow::jobs)
            .isInstanceOf(UnreachableException.class)
            .hasMessageContaining("no answer within 20 ms (client.timeout)");
      }
    }
  }

  @Test
  void timeThatTheServerWasAskedToWaitIsAddedToTheTimeout() throws Exception {
    try (RawServer silent = RawServer.stoppingAfter("");
        RestClusterClient slow = new RestClusterClient(silent.address(), Duration.ofMillis(20))) {
      assertThatThrownBy(() -> slow.awaitResult(JOB, Duration.ofMillis(30)))
          .hasMessageContaining("no answer within 50 ms");
    }
  }

  @Test
  void unknownHostNamesTheHost() {
    try (RestClusterClient unknown =
        new RestClusterClient(new HostPort("no-such-host.invalid", 80), Duration.ofMinutes(1))) {
      assertThatThrownBy(unknown::jobs)
          .isInstanceOf(UnreachableException.class)
          .hasMessageContaining("the host name 'no-such-host.invalid' cannot be resolved")
          .hasMessageContaining("millrace cluster start");
    }
  }

  @Test
  void brokenAnswerNamesTheCause() throws Exception {
    try (RawServer broken =
            RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}");
        RestClusterClient other = new RestClusterClient(broken.address(), Duration.ofMinutes(1))) {
      assertThatThrownBy(other::jobs)
          .isInstanceOf(UnreachableException.class)
          .hasMessageContaining("the answer ended after 2 of 100 bytes");
    }
  }

  @Test
  @Behaviour("B4: a client waits for a cluster that comes back and gives up on one that does not")
  void reconnectTimeoutIsTheTimeoutOfTheClient() {
    assertThat(client.reconnectTimeout()).isEqualTo(Duration.ofMinutes(1));
  }

  private MillraceException failure() {
    return catchThrowableOfType(MillraceException.class, client::jobs);
  }
}
