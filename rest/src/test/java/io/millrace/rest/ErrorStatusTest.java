package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.HistoryOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With which status a failure is answered, and which settings a server refuses to start with. */
class ErrorStatusTest {
  private static final Path WORK = Path.of("/work");

  @ParameterizedTest
  @CsvSource({"USER, 400", "RESOURCE, 503", "EXTERNAL, 500", "BUG, 500"})
  @Behaviour("I1: an error is one sentence in JSON with a status")
  void kindOfAnErrorDecidesItsStatus(ErrorKind kind, int status) {
    MillraceException error = new MillraceException(kind, "What happened and what to do.");

    RestResponse reply = ErrorResponses.reply("GET /x", new CompletionException(error));

    assertThat(reply.status()).isEqualTo(status);
    assertThat(reply.body().toString())
        .isEqualTo("{\"errors\":[\"What happened and what to do.\"]}");
  }

  @Test
  void errorOfARequestHasItsOwnStatus() {
    RestResponse reply =
        ErrorResponses.reply("GET /x", new CompletionException(new RestError(409, "It ended.")));

    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.contentType()).isEqualTo("application/json; charset=UTF-8");
  }

  @Test
  void clientIsToldHowToAuthenticate() {
    assertThat(RestResponse.error(401, "Send the token.").headers())
        .containsEntry("WWW-Authenticate", "Bearer");
    assertThat(RestResponse.error(403, "No.").headers()).isEmpty();
  }

  @Test
  void diskTroubleInsideOtherErrorsIsTold() {
    RestResponse reply =
        ErrorResponses.reply(
            "PUT /blobs", new CompletionException(new IOException("No space left on device")));

    assertThat(reply.status()).isEqualTo(500);
    assertThat(reply.body().toString()).contains("No space left on device");
  }

  /** A request that waits must be answered before the call to the Dispatcher times out. */
  @ParameterizedTest
  @CsvSource({"10 s, 5000", "1 min, 30000", "90 s, 30000", "10 min, 30000", "1 s, 500"})
  void longestWaitIsHalfOfACallAndAtMostThirtySeconds(String timeout, long millis) {
    Configuration configuration = Configuration.EMPTY.with(RpcOptions.ASK_TIMEOUT.key(), timeout);

    assertThat(RestSettings.of(configuration, WORK).longestWait())
        .isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  void uploadsAreBelowTheWorkingDirectoryUnlessConfigured() {
    assertThat(RestSettings.of(Configuration.EMPTY, WORK).uploadDir())
        .isEqualTo(WORK.resolve("uploads"));
    assertThat(
            RestSettings.of(Configuration.EMPTY.with(RestOptions.UPLOAD_DIR, "/jars"), WORK)
                .uploadDir())
        .isEqualTo(Path.of("/jars"));
  }

  @Test
  void closedClusterHasAReasonAndTheOtherSettings() {
    RestSettings open = RestSettings.of(Configuration.EMPTY, WORK);

    RestSettings closed = open.refusing("It runs one job.");

    assertThat(open.refusal()).isEmpty();
    assertThat(closed.refusal()).contains("It runs one job.");
    assertThat(closed).usingRecursiveComparison().ignoringFields("refusal").isEqualTo(open);
    assertThat(closed.scheme()).isEqualTo("http://");
  }

  @Test
  void historyServerNeedsDirectories() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> HistorySettings.of(Configuration.EMPTY))
        .withMessage(
            HistoryOptions.SERVED_DIRS.key() + " names no directory with archives of ended jobs.");
  }

  @Test
  void historyServerReadsItsOptions() {
    HistorySettings settings =
        HistorySettings.of(
            Configuration.EMPTY
                .with(HistoryOptions.SERVED_DIRS.key(), "/a;hdfs://host/b")
                .with(HistoryOptions.WEB_PORT, 0)
                .with(HistoryOptions.RETAINED_JOBS, 7));

    assertThat(settings.directories())
        .extracting(Object::toString)
        .containsExactly("/a", "hdfs://host/b");
    assertThat(settings.ports().range().isAny()).isTrue();
    assertThat(settings.retained()).isEqualTo(7);
  }
}
