package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.common.ExitCodes;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The question of {@code session stop} about a session that does not answer, in a process of its
 * own with a real terminal, or without one. {@link FakeResourceManager} has the session.
 */
class SessionStopAtATerminalTest {
  private static final Path SCRIPT = Path.of("/usr/bin/script");
  private static final String QUESTION = "It does not answer. Kill it? [y/N] ";

  @TempDir private Path directory;

  private record Ended(int code, String output) {}

  @ParameterizedTest
  @CsvSource({"y, 0", "YES, 0", "n, 1", "'', 1", "yesterday, 1"})
  @Behaviour("A2: a session that does not answer is killed only with the consent of its user")
  void userIsAskedAtATerminal(String answer, int code) throws Exception {
    Ended stop = atATerminal(answer + "\n");
    assertThat(stop.code()).as(stop.output()).isEqualTo(code);
    assertThat(stop.output())
        .contains(QUESTION)
        .contains(code == 0 ? "has ended (SUCCEEDED)" : "millrace: It was not stopped.");
  }

  @Test
  @Behaviour("A2: a session that does not answer is killed only with the consent of its user")
  void endOfTheInputIsNoConsent() throws Exception {
    Ended stop = atATerminal("");
    assertThat(stop.code()).as(stop.output()).isEqualTo(ExitCodes.ERROR);
    assertThat(stop.output()).contains("millrace: It was not stopped.");
  }

  @Test
  void forceAsksNothing() throws Exception {
    Ended stop = atATerminal("n\n", "--force");
    assertThat(stop.code()).as(stop.output()).isEqualTo(ExitCodes.OK);
    assertThat(stop.output()).contains("has ended (SUCCEEDED)").doesNotContain("[y/N]");
  }

  @Test
  @Behaviour("A2: a session that does not answer is killed only with the consent of its user")
  void inputWithoutATerminalIsNoConsent() throws Exception {
    Ended stop = run(line(), "y\n");
    assertThat(stop.code()).as(stop.output()).isEqualTo(ExitCodes.ERROR);
    assertThat(stop.output()).isEqualTo("millrace: It was not stopped.\n");
    assertThat(run(line("--force"), "").code()).isEqualTo(ExitCodes.OK);
  }

  /** Types the text at a terminal that the tool of this system provides. */
  private Ended atATerminal(String typed, String... options) throws Exception {
    assumeTrue(Files.isExecutable(SCRIPT), "this system has no " + SCRIPT);
    String command = "'" + String.join("' '", line(options)) + "'";
    return run(
        List.of(SCRIPT.toString(), "--quiet", "--return", "--command", command, "/dev/null"),
        typed);
  }

  private static List<String> line(String... options) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), Millrace.class.getName()));
    line.addAll(List.of("session", "stop"));
    line.addAll(List.of(options));
    line.add(FakeResourceManager.DEAF_SESSION);
    return line;
  }

  private Ended run(List<String> line, String input) throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("HOME", directory.toString());
    builder.environment().put("MILLRACE_CLUSTER_DIR", directory.resolve("cluster").toString());
    builder.environment().put("MILLRACE_LOG_DIR", directory.toString());
    Process process = builder.start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    }
    int code = process.waitFor();
    return new Ended(code, Files.readString(output).replace("\r", ""));
  }
}
