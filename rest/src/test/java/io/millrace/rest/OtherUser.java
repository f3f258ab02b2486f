package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Sends requests as another user of this machine. Needs root. */
final class OtherUser {
  private static final String UNPRIVILEGED_UID = "65534";

  private OtherUser() {}

  /** Sends a request as that user and returns the whole response. */
  static String exchange(int port, String request) throws IOException, InterruptedException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "Only root can act as another user");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "There is no setpriv");
    Process process =
        new ProcessBuilder(
                "/usr/bin/setpriv",
                "--reuid=" + UNPRIVILEGED_UID,
                "--regid=" + UNPRIVILEGED_UID,
                "--clear-groups",
                "bash",
                "-c",
                "exec 3<>/dev/tcp/127.0.0.1/$0; printf '%b' \"$1\" >&3; cat <&3",
                String.valueOf(port),
                request.replace("\r", "\\r").replace("\n", "\\n"))
            .redirectErrorStream(true)
            .start();
    try (InputStream output = process.getInputStream()) {
      process.getOutputStream().close();
      String answer = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).as(answer).isTrue();
      return answer;
    } finally {
      process.destroyForcibly();
    }
  }
}
