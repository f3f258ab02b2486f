package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

class ErrorResponsesTest {
  @Test
  @ResourceLock("default uncaught exception handler")
  void outOfMemoryErrorOfRequestReachesUncaughtExceptionHandler() {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    List<Throwable> handled = new CopyOnWriteArrayList<>();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> handled.add(thrown));
    try {
      OutOfMemoryError full = new OutOfMemoryError("of a test");
      assertThat(ErrorResponses.reply("GET /x", new CompletionException(full)).status())
          .isEqualTo(500);
      assertThat(ErrorResponses.reply("GET /x", new StackOverflowError()).status()).isEqualTo(500);
      assertThat(ErrorResponses.reply("GET /x", new IllegalStateException()).status())
          .isEqualTo(500);
      assertThat(handled).containsExactly(full);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  @Test
  void namesStorageError() {
    RestResponse reply =
        ErrorResponses.reply(
            "POST /jars/upload",
            new IllegalStateException(
                new UncheckedIOException(new IOException("No space left on device"))));
    assertThat(reply.status()).isEqualTo(500);
    assertThat(reply.toString()).contains("because its storage failed: No space left on device");
  }

  @Test
  @Behaviour("I1: an error is one sentence in JSON with a status")
  void doesNotRevealInternalErrors() {
    assertThat(ErrorResponses.reply("GET /jobs", new IllegalStateException("confused")).toString())
        .contains("its log has the reason")
        .doesNotContain("confused");
  }
}
