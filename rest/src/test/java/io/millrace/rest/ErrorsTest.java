package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

class ErrorsTest {
  @Test
  void namesWhatIsWrongWithItsFiles() {
    Reply reply =
        Errors.reply(
            "POST /jars/upload",
            new IllegalStateException(
                new UncheckedIOException(new IOException("No space left on device"))));
    assertThat(reply.status()).isEqualTo(500);
    assertThat(reply.toString()).contains("because its files failed: No space left on device");
  }

  @Test
  void keepsAMistakeOfItsOwnToItsLog() {
    assertThat(Errors.reply("GET /jobs", new IllegalStateException("confused")).toString())
        .contains("its log has the reason")
        .doesNotContain("confused");
  }
}
