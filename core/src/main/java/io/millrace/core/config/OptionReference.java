package io.millrace.core.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;

/** Generates the reference page of all options. */
public final class OptionReference {
  private OptionReference() {}

  /** Writes the page to the file that the only argument names. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      throw new IllegalArgumentException("Usage: OptionReference docs/options.md");
    }
    Files.writeString(Path.of(arguments[0]), render());
  }

  /** The page for the options of the engine and of the providers on the class path. */
  public static String render() {
    StringBuilder page =
        new StringBuilder(
            """
            # Options

            Set them with `-D key=value` on the command line or in the configuration file.

            This page is generated from the classes named `*Options`. Edit the declarations there and refresh it
            as [CONTRIBUTING.md](../CONTRIBUTING.md) says.

            Millrace refuses values outside of an option's range. The column *set for* names the smallest scope
            of an option: a command (`-D`; clusters read it when they start), a job (`-D` of `run`, or the program;
            the cluster's configuration has the default), or a cluster, which reads it when it starts.

            | key | type | default | set for | description |
            |---|---|---|---|---|
            """);
    for (Option<?> option : DeclaredOptions.all()) {
      page.append(
          "| `%s` | %s | %s | %s | %s |\n"
              .formatted(
                  option.key(),
                  cell(option.type() + option.range().map(range -> ", " + range).orElse("")),
                  fallback(option),
                  option.scope().name().toLowerCase(Locale.ROOT),
                  cell(option.description())));
    }
    page.append(
        """

        ## Options of Flink that have no effect

        In a configuration file they cause a warning and are ignored, like all unknown keys. With `-D` they
        are refused.

        | options | reason |
        |---|---|
        """);
    for (FlinkOptions.Group group : FlinkOptions.WITHOUT_EFFECT) {
      page.append(
          group.patterns().stream()
              .map(OptionReference::withoutEffect)
              .collect(Collectors.joining(", ", "| ", " | " + group.reason() + ". |\n")));
    }
    for (OptionProvider provider : DeclaredOptions.onClassPath()) {
      provider
          .unsupported()
          .forEach(
              (pattern, reason) ->
                  page.append("| " + withoutEffect(pattern) + " | " + reason + ". |\n"));
    }
    return page.toString();
  }

  /** Declared options take precedence over patterns. */
  private static String withoutEffect(String pattern) {
    boolean matchesDeclared =
        DeclaredOptions.all().stream()
            .anyMatch(option -> FlinkOptions.matches(pattern, option.key()));
    return "`" + pattern + "`" + (matchesDeclared ? " (other than those above)" : "");
  }

  private static String fallback(Option<?> option) {
    // The page must be the same on every machine.
    if (option == CoreOptions.TMP_DIRS) {
      return "the system's temporary directory";
    }
    if (option == SecurityOptions.REST_AUTHENTICATION) {
      return "`peer` on loopback, else `token`";
    }
    return option
        .defaultText()
        .map(text -> text.isEmpty() ? "empty" : "`" + cell(text) + "`")
        .orElse("none");
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }
}
