package io.millrace.cli.common;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** The option {@code -D} of commands that read the configuration. */
public final class ConfigurationMixin {
  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "Overrides the configuration; may be repeated.")
  private List<String> overrides = new ArrayList<>();

  public List<String> overrides() {
    return OrderedCopies.list(overrides);
  }

  public Configuration load(Console console) {
    return load(console, List.of());
  }

  /**
   * @param before overrides with a lower priority than {@code -D}
   */
  public Configuration load(Console console, List<String> before) {
    return load(console, before, console.err()::println);
  }

  public Configuration load(Console console, List<String> before, Consumer<String> warnings) {
    List<String> all = new ArrayList<>(before);
    all.addAll(overrides);
    return UsageException.reading(() -> ConfigurationFile.load(console.process(), all, warnings));
  }
}
