package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellQuotingTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "two words",
        "it's",
        "\"quoted\"",
        "$HOME and ${HOME}",
        "`date`",
        "a\\b",
        "{{{json}}}",
        "{\"a\": {\"b\": 1}}",
        "<LOG_DIR>/x",
        "semi;colon & ampersand | pipe > file",
        "*",
        "two\nlines",
        "Grüße",
        "-Dx=y z"
      })
  @Behaviour("A8: program arguments arrive unchanged through all shells")
  void wordArrivesAsItIs(String word) throws Exception {
    assertThat(arrived(ShellQuoting.word(word))).isEqualTo(word);
  }

  @Test
  void emptyWordArrives() throws Exception {
    assertThat(arrived(ShellQuoting.word(""))).isEmpty();
  }

  @Test
  void logDirectoryOfAnOptionIsLeftToYarn() throws Exception {
    assertThat(arrived(ShellQuoting.option("-Dlog file=" + ContainerLaunch.LOG_DIR + "/it's.log")))
        .isEqualTo("-Dlog file=/var/log/it's.log");
  }

  @Test
  void valueKeepsVariablesForTheShell() throws Exception {
    Path script = directory.resolve("value.sh");
    Files.writeString(
        script,
        "export X=\"" + ShellQuoting.value("a \"b\" `c` \\d $0") + "\"\nprintf %s \"$X\"\n");
    assertThat(output(List.of("bash", script.toString()))).isEqualTo("a \"b\" `c` \\d " + script);
  }

  /** As a NodeManager does it: replaces names, writes a script, has a second shell read it. */
  private String arrived(String word) throws IOException, InterruptedException {
    String expanded =
        ("printf %s " + word)
            .replace("<LOG_DIR>", "/var/log")
            .replace("<CPS>", ":")
            .replace("{{", "$")
            .replace("}}", "");
    Path script = directory.resolve("launch.sh");
    Files.writeString(script, "exec /bin/bash -c \"" + expanded + "\"\n");
    return output(List.of("bash", script.toString()));
  }

  private static String output(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return text;
  }
}
