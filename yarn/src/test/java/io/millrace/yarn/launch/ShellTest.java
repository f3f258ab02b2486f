package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ShellTest {
  /** As a NodeManager does. */
  @Test
  void twoShellsLeaveTheTextAsItWas() throws Exception {
    for (String text :
        new String[] {
          "plain=a/b.c-d",
          "",
          "two words",
          "it's",
          "$HOME `id` \"x\" \\ \\n",
          "a;b&c|d>e*?!",
          "'\"'"
        }) {
      assertThat(throughTwoShells(Shell.word(text))).isEqualTo(text);
    }
  }

  private static String throughTwoShells(String word) throws Exception {
    Process process =
        new ProcessBuilder("bash", "-c", "exec /bin/bash -c \"printf %s " + word + "\"")
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return printed;
  }
}
