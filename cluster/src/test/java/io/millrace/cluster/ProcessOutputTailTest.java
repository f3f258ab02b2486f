package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Output of programs of any size, in any encoding, that ends or does not. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ProcessOutputTailTest {
  private static String errorOf(String script) throws IOException, InterruptedException {
    Process process = new ProcessBuilder("/bin/sh", "-c", script).redirectErrorStream(true).start();
    try {
      ProcessOutputTail output = ProcessOutputTail.read(process);
      process.waitFor();
      return output.error();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void lastErrorOfTheCommandLineCounts() throws Exception {
    assertThat(errorOf("echo 'millrace: one'; echo other; echo 'millrace: two'; echo end"))
        .isEqualTo("two");
    assertThat(errorOf("echo ' millrace: indented'; echo ' end '"))
        .isEqualTo("millrace: indented\n end");
  }

  @Test
  void outputWithoutAnErrorIsShown() throws Exception {
    assertThat(errorOf("echo one; echo two >&2")).isEqualTo("one\ntwo");
    assertThat(errorOf("printf '\\n \\n'")).isEqualTo("The program submitted no job.");
    assertThat(errorOf(":")).isEqualTo("The program submitted no job.");
  }

  @Test
  void onlyTheEndOfLongOutputIsKept() throws Exception {
    String error = errorOf("echo start; yes 0123456789 | head -c 1000000; echo; echo end");
    assertThat(error).hasSizeLessThanOrEqualTo(32 * 1024).endsWith("end").doesNotContain("start");
    assertThat(errorOf("echo 'millrace: early'; yes x | head -c 1000000"))
        .as("an error before the end is forgotten")
        .doesNotContain("early");
  }

  @Test
  void oneLineMayBeLongerThanWhatIsKept() throws Exception {
    assertThat(errorOf("head -c 200000 /dev/zero | tr '\\0' y")).hasSize(32 * 1024);
  }

  @Test
  void bytesOfAnotherCharacterSetAreReplaced() throws Exception {
    assertThat(errorOf("printf 'millrace: Ger\\344t fehlt\\n'"))
        .startsWith("Ger")
        .endsWith("t fehlt");
  }

  /** A child keeps the stream open after the process has ended. */
  @Test
  void streamThatStaysOpenIsNotWaitedFor() throws Exception {
    assertThat(errorOf("echo 'millrace: told'; sleep 20 &")).isEqualTo("told");
  }
}
