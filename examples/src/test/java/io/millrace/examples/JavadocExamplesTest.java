package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each public type that programs compile against shows its use in its Javadoc, and all these
 * examples compile. The types are those of the modules for programs. Types of a package need no
 * example if its description says that programs do not use it directly.
 *
 * <p>A type that a program never names needs no example: it has {@code @see Owner}, and an example
 * of the owner uses it.
 */
class JavadocExamplesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern MODULES =
      Pattern.compile("api|task-api|cluster|test|connector-.*|format-.*");
  private static final String INTERNAL = "Programs do not use this package directly";

  private static final Pattern TYPE =
      Pattern.compile(
          "(?ms)(?:^/\\*\\*(?<javadoc>(?:(?!\\*/).)*)\\*/\\s+)?(?:^@[^\\n]*\\n)*"
              + "^public (?:(?:abstract|final|sealed|non-sealed) )*"
              + "(?:class|interface|record|enum|@interface) (?<name>\\w+)");
  private static final Pattern EXAMPLE =
      Pattern.compile("<pre>\\{@code\n(.*?)\\}</pre>", Pattern.DOTALL);
  private static final Pattern SEE = Pattern.compile("(?m)^ \\* @see (\\w+)$");
  private static final Pattern TYPE_ARGUMENTS = Pattern.compile("\\.<[^(]*>\\w+\\(");

  /**
   * A source file with a public type.
   *
   * @param isInternal whether programs do not use its package
   * @param javadoc of the type; empty if it has none
   * @param examples of the type and of its members
   */
  private record TypeSource(
      String name, boolean isInternal, String javadoc, List<String> examples) {
    boolean hasExample() {
      return EXAMPLE.matcher(javadoc).find();
    }

    String packageName() {
      return name.substring(0, name.lastIndexOf('.'));
    }

    /** The owner in the same package. */
    List<String> owners() {
      return SEE.matcher(javadoc).results().map(see -> packageName() + "." + see.group(1)).toList();
    }
  }

  @Test
  void everyPublicTypeHasAnExampleThatCompilesAndUsesIt() throws IOException {
    Map<String, TypeSource> types = new LinkedHashMap<>();
    Set<String> packages = new TreeSet<>();
    for (TypeSource type : publicTypes()) {
      types.put(type.name(), type);
      packages.add(type.packageName());
    }
    assertThat(types).hasSizeGreaterThan(150);
    JavadocExamples examples = new JavadocExamples(packages);
    types
        .values()
        .forEach(type -> type.examples().forEach(text -> examples.add(type.name(), text)));

    JavadocExamples.Compiled compiled = examples.compile(System.getProperty("java.class.path"));

    assertThat(compiled.problems()).isEmpty();
    List<String> missing = new ArrayList<>();
    for (TypeSource type : types.values()) {
      if (type.isInternal()) {
        continue;
      }
      List<String> owners = type.hasExample() ? List.of(type.name()) : type.owners();
      if (owners.isEmpty()) {
        missing.add(type.name() + " has no example");
      }
      for (String owner : owners) {
        if (!compiled.used().getOrDefault(owner, Set.of()).contains(type.name())) {
          missing.add("no example of " + owner + " uses " + type.name());
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void examplesNeedNoTypeArguments() throws IOException {
    assertThat(publicTypes())
        .allSatisfy(
            type ->
                assertThat(type.examples())
                    .as(type.name())
                    .noneMatch(example -> TYPE_ARGUMENTS.matcher(example).find()));
  }

  private static List<TypeSource> publicTypes() throws IOException {
    List<TypeSource> types = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.sorted().toList()) {
        Path sources = module.resolve("src/main/java");
        if (MODULES.matcher(module.getFileName().toString()).matches()
            && Files.isDirectory(sources)) {
          try (Stream<Path> walked = Files.walk(sources)) {
            for (Path file : walked.sorted().toList()) {
              if (file.toString().endsWith(".java")) {
                read(sources, file).ifPresent(types::add);
              }
            }
          }
        }
      }
    }
    return types;
  }

  private static boolean isInternal(Path directory) throws IOException {
    String description = Files.readString(directory.resolve("package-info.java"));
    return description.replaceAll("\\s*\\n \\*\\s*", " ").contains(INTERNAL);
  }

  private static Optional<TypeSource> read(Path sources, Path file) throws IOException {
    String text = Files.readString(file);
    Matcher type = TYPE.matcher(text);
    if (!type.find()) {
      return Optional.empty();
    }
    Path directory = file.getParent();
    String packageName =
        sources.relativize(directory).toString().replace('/', '.').replace('\\', '.');
    return Optional.of(
        new TypeSource(
            packageName + "." + type.group("name"),
            isInternal(directory),
            type.group("javadoc") == null ? "" : type.group("javadoc"),
            EXAMPLE.matcher(text).results().map(JavadocExamplesTest::withoutMargin).toList()));
  }

  private static String withoutMargin(MatchResult example) {
    return example.group(1).replaceAll("(?m)^ *\\* ?", "");
  }
}
