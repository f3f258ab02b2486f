package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links in comments name classes that exist, also after a class was renamed. */
class JavadocLinksTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern LINE_START = Pattern.compile("\\n\\s*\\*\\s*");
  private static final Pattern LINK =
      Pattern.compile("\\{@link(?:plain)?\\s+(io\\.millrace\\.[\\w.]*\\w)");

  @Test
  void everyLinkToAClassOfTheProjectNamesOne() throws IOException {
    List<Path> sources = sources();
    Set<String> classes = new HashSet<>();
    for (Path source : sources) {
      classes.add(className(source));
    }
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path source : sources) {
      String text = LINE_START.matcher(Files.readString(source)).replaceAll(" ");
      for (MatchResult link : LINK.matcher(text).results().toList()) {
        links++;
        if (!exists(link.group(1), classes)) {
          broken.add(ROOT.relativize(source) + ": " + link.group(1));
        }
      }
    }
    assertThat(links).isGreaterThan(100);
    assertThat(broken).isEmpty();
  }

  /** A link may name a nested class, which is in the file of its outer one. */
  private static boolean exists(String name, Set<String> classes) {
    for (int end = name.length(); end > 0; end = name.lastIndexOf('.', end - 1)) {
      if (classes.contains(name.substring(0, end))) {
        return true;
      }
    }
    return false;
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.sorted().toList()) {
        for (String directory : List.of("src/main/java", "src/test/java")) {
          Path root = module.resolve(directory);
          if (Files.isDirectory(root)) {
            try (Stream<Path> files = Files.walk(root)) {
              files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
          }
        }
      }
    }
    return sources;
  }

  private static String className(Path source) {
    String path = source.toString().replace('\\', '/');
    String relative = path.substring(path.indexOf("/java/") + "/java/".length());
    return relative.substring(0, relative.length() - ".java".length()).replace('/', '.');
  }
}
