package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of files that a job passes, in docs/architecture.md, is current and short. */
class FollowAJobTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\| `([a-z-]+)/([\\w/]+)` \\|");

  @Test
  void everyFileOfTheListExists() throws IOException {
    List<MatchResult> rows = rows();

    assertThat(rows).hasSizeBetween(50, 120);
    assertThat(rows).filteredOn(row -> !exists(row)).extracting(MatchResult::group).isEmpty();
  }

  @Test
  void rowsAreNumberedInOrder() throws IOException {
    List<MatchResult> rows = rows();

    for (int i = 0; i < rows.size(); i++) {
      assertThat(rows.get(i).group(1)).isEqualTo(String.valueOf(i + 1));
    }
  }

  private static List<MatchResult> rows() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/architecture.md"));
    return ROW.matcher(page).results().toList();
  }

  private static boolean exists(MatchResult row) {
    Path sources = ROOT.resolve(row.group(2)).resolve("src/main/java");
    try (Stream<Path> files = Files.walk(sources)) {
      return files.anyMatch(file -> file.endsWith(row.group(3) + ".java"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
