package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends requests as another user of this machine. Needs root. */
final class OtherUser {
  private static final String UNPRIVILEGED_UID = "65534";

  private OtherUser() {}

  /** Sends a request as that user and returns the whole response. */
  static String exchange(int port, String request) throws IOException, InterruptedException {
    return exchangeAll(port, List.of(request)).get(0);
  }

  /** Sends requests as that user, each on its own connection, and returns the whole responses. */
  static List<String> exchangeAll(int port, List<String> requests)
      throws IOException, InterruptedException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "Only root can act as another user");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "There is no setpriv");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("/usr/bin/setpriv", "--reuid=" + UNPRIVILEGED_UID));
    command.addAll(List.of("--regid=" + UNPRIVILEGED_UID, "--clear-groups", "bash", "-c"));
    command.add(
        "for request in \"$@\"; do exec 3<>/dev/tcp/127.0.0.1/$0; printf '%b' \"$request\" >&3;"
            + " cat <&3; exec 3>&-; printf '\\0'; done");
    command.add(String.valueOf(port));
    for (String request : requests) {
      command.add(request.replace("\r", "\\r").replace("\n", "\\n"));
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (InputStream output = process.getInputStream()) {
      process.getOutputStream().close();
      String answers = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).as(answers).isTrue();
      List<String> each = List.of(answers.split("\0", -1));
      assertThat(each).as(answers).hasSize(requests.size() + 1);
      return each.subList(0, requests.size());
    } finally {
      process.destroyForcibly();
    }
  }
}
