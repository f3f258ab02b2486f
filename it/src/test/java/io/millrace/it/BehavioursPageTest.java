package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page that says where behaviours are tested names tests that exist. */
class BehavioursPageTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern TEST = Pattern.compile("`([a-z-]+)/(\\w+)#(\\w+)`");

  @Test
  void everyTestOnThePageExists() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/behaviours.md"));
    List<MatchResult> named = TEST.matcher(page).results().toList();

    assertThat(named).hasSizeGreaterThan(100);
    assertThat(named).filteredOn(test -> !exists(test)).extracting(MatchResult::group).isEmpty();
  }

  @Test
  void everyStatementHasATest() throws IOException {
    List<String> untested = new ArrayList<>();
    for (String line : Files.readAllLines(ROOT.resolve("docs/behaviours.md"))) {
      boolean isStatement =
          line.startsWith("| ") && !line.startsWith("| statement") && !line.startsWith("|---");
      if (isStatement && !TEST.matcher(line).find()) {
        untested.add(line);
      }
    }
    assertThat(untested).isEmpty();
  }

  private static boolean exists(MatchResult test) {
    Path sources = ROOT.resolve(test.group(1)).resolve("src/test/java");
    String method = " void " + test.group(3) + "(";
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.endsWith(test.group(2) + ".java"))
          .anyMatch(file -> read(file).contains(method));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
