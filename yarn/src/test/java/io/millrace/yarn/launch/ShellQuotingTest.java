package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
  void wordArrivesUnchanged(String word) throws Exception {
    assertThat(arrived(ShellQuoting.word(word))).isEqualTo(word);
  }

  /** One script with many words, since each shell takes some milliseconds. */
  @Test
  void randomWordsArriveUnchanged() throws Exception {
    Random random = new Random(4711);
    String alphabet = "ab \t'\"\\$`<>{}()[]|&;*?!#~=%LOG_DIRé";
    List<String> words = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      StringBuilder word = new StringBuilder();
      for (int length = random.nextInt(12); length >= 0; length--) {
        word.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      words.add(word.toString());
    }
    StringBuilder quoted = new StringBuilder();
    words.forEach(word -> quoted.append(ShellQuoting.word(word)).append(" "));
    String expanded =
        ("printf '%s\\n' " + quoted).replace("<LOG_DIR>", "/var/log").replace("{{", "$");
    Path script = directory.resolve("random.sh");
    Files.writeString(script, "exec /bin/bash -c \"" + expanded.replace("}}", "") + "\"\n");
    assertThat(output(List.of("bash", script.toString())).lines()).containsExactlyElementsOf(words);
  }

  @Test
  void emptyWordArrives() throws Exception {
    assertThat(arrived(ShellQuoting.word(""))).isEmpty();
  }

  @Test
  void yarnReplacesTheLogDirectoryInAnOption() throws Exception {
    assertThat(arrived(ShellQuoting.option("-Dlog file=" + ContainerLaunch.LOG_DIR + "/it's.log")))
        .isEqualTo("-Dlog file=/var/log/it's.log");
  }

  @Test
  void shellExpandsVariablesInAValue() throws Exception {
    Path script = directory.resolve("value.sh");
    Files.writeString(
        script,
        "export X=\"" + ShellQuoting.value("a \"b\" `c` \\d $0") + "\"\nprintf %s \"$X\"\n");
    assertThat(output(List.of("bash", script.toString()))).isEqualTo("a \"b\" `c` \\d " + script);
  }

  /** As a NodeManager does: replaces names, writes a script, and starts a second shell. */
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
