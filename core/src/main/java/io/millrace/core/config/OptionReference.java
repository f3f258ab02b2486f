package io.millrace.core.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The reference page of all options, made from their declarations. */
public final class OptionReference {
  static final String REFRESH =
      "mvn -q -B -Dquick -pl core compile && java -cp core/target/classes "
          + OptionReference.class.getName()
          + " docs/options.md";

  private OptionReference() {}

  /** Writes the page to the file named by the only argument. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      throw new IllegalArgumentException("Say which file to write: docs/options.md");
    }
    Files.writeString(Path.of(arguments[0]), render());
  }

  static String render() {
    StringBuilder page =
        new StringBuilder(
            """
            # Options

            Set them with `-D key=value` on the command line or in the configuration file.

            This page is made from `io.millrace.core.config.Options`; edit the declarations there and run
            `%s`.

            | key | type | default | description |
            |---|---|---|---|
            """
                .formatted(REFRESH));
    for (Option<?> option : Options.all()) {
      page.append(
          "| `%s` | %s | %s | %s |\n"
              .formatted(
                  option.key(), cell(option.type()), fallback(option), cell(option.description())));
    }
    return page.toString();
  }

  private static String fallback(Option<?> option) {
    // The page must come out the same on every machine.
    if (option == Options.TMP_DIRS) {
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
