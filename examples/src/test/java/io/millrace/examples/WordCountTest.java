package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.ProgramContext;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock("bound program context")
@ResourceLock(Resources.SYSTEM_OUT)
class WordCountTest {
  @TempDir Path directory;

  @Test
  void writesEachWordOnceWithItsCount() throws Exception {
    Random random = new Random(7);
    String some = "aAbBzZ09 \n\r\t-_'@[`{/:";
    byte[] text = new byte[20_000];
    for (int i = 0; i < text.length; i++) {
      // Every byte value, valid as UTF-8 or not, and many words.
      text[i] =
          (byte)
              (random.nextInt(4) == 0
                  ? random.nextInt()
                  : some.charAt(random.nextInt(some.length())));
    }
    Path input = directory.resolve("in");
    Files.write(input, text);
    Path output = directory.resolve("out");
    run("--input", input.toString(), "--output", output.toString());
    assertThat(Files.readAllLines(output.resolve("part-0-0")))
        .containsExactlyInAnyOrderElementsOf(countedBytewise(text));
  }

  @Test
  void printsTheCountsOfTheBundledText() throws Exception {
    List<String> lines = run().lines().toList();
    assertThat(lines).hasSize(176).doesNotHaveDuplicates();
    assertThat(lines).contains("weir\t2", "hopper\t2").allMatch(line -> line.matches("\\w+\t\\d+"));
  }

  @Test
  void wrongArgumentsAreNamed() {
    assertUserError("The value of argument --input is empty.", "--input", "");
    assertUserError("The value of argument --output is empty.", "--output", "");
    assertUserError("Unknown argument '--inptu'", "--inptu", "x");
    assertUserError("--input needs a value", "--input");
    assertUserError("--input is given twice", "--input", "a", "--input", "b");
  }

  private static void assertUserError(String message, String... args) {
    assertThatThrownBy(() -> run(args))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(message)
        .hasMessageContaining("Usage: [--input VALUE] [--output VALUE]");
  }

  /** What {@code tr} makes of it, byte by byte. */
  private static List<String> countedBytewise(byte[] text) {
    Map<String, Integer> counts = new TreeMap<>();
    StringBuilder word = new StringBuilder();
    for (int i = 0; i <= text.length; i++) {
      int b = i < text.length ? text[i] & 0xff : ' ';
      if (b >= 'A' && b <= 'Z') {
        b += 'a' - 'A';
      }
      if (b >= 'a' && b <= 'z' || b >= '0' && b <= '9') {
        word.append((char) b);
      } else if (!word.isEmpty()) {
        counts.merge(word.toString(), 1, Integer::sum);
        word.setLength(0);
      }
    }
    List<String> lines = new ArrayList<>();
    counts.forEach((key, count) -> lines.add(key + "\t" + count));
    return lines;
  }

  private static String run(String... args) throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      new ProgramContext(new BatchRunner(), Configuration.EMPTY)
          .during(
              () -> {
                WordCount.main(args);
                return true;
              });
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }
}
