package io.millrace.sim.mutant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A small bug in one class.
 *
 * @param target the class as module/package/Class below {@code io.millrace}
 * @param fragment the code that is replaced; occurs once in the class, with any indentation
 * @param replacement empty if the code is removed
 * @param bug the effect, as a sentence
 */
public record Mutant(String name, String target, String fragment, String replacement, String bug) {

  /** The mutant does not match the current source. */
  public static final class Outdated extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Outdated(String message) {
      super(message);
    }
  }

  /** The Maven module of the class. */
  public String module() {
    return target.substring(0, target.indexOf('/'));
  }

  /** The simple name of the class. */
  public String simpleName() {
    return target.substring(target.lastIndexOf('/') + 1);
  }

  /**
   * @param root the directory of the whole build
   */
  Path source(Path root) {
    return root.resolve(module()).resolve("src/main/java/io/millrace").resolve(target + ".java");
  }

  /** The source of the class with the bug. */
  public String mutated(Path root) throws IOException {
    Path file = source(root);
    if (!Files.isRegularFile(file)) {
      throw new Outdated(
          "Mutant " + name + " is about " + file + ", which does not exist. Correct or remove it.");
    }
    String source = Files.readString(file);
    Matcher found = pattern().matcher(source);
    if (!found.find()) {
      throw outdated(file, "does not occur");
    }
    int start = found.start();
    int end = found.end();
    if (found.find()) {
      throw outdated(file, "occurs more than once");
    }
    return source.substring(0, start) + replacement + source.substring(end);
  }

  private Outdated outdated(Path file, String problem) {
    return new Outdated(
        "The fragment of mutant " + name + " " + problem + " in " + file + ": " + fragment);
  }

  /** White space matches any white space, so that indentation does not matter. */
  private Pattern pattern() {
    return Pattern.compile(
        Arrays.stream(fragment.strip().split("\\s+"))
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s+")));
  }
}
