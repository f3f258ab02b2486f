package io.millrace.cli.common;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.OrderedCopies;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a command sees of the world it was called in.
 *
 * @param out results
 * @param err progress and errors
 * @param home the root of the distribution, if this runs from one
 * @param styles the command-line styles of plugins, and what this command line gives in them
 */
public record Console(
    PrintStream out,
    PrintStream err,
    Map<String, String> environment,
    Optional<Path> home,
    CommandLineStyles styles) {
  private static final int USUAL_WIDTH = 100;
  private static final int NARROWEST = 40;

  public Console {
    Objects.requireNonNull(out);
    Objects.requireNonNull(err);
    environment = OrderedCopies.map(environment);
    Objects.requireNonNull(home);
    Objects.requireNonNull(styles);
  }

  public Console(
      PrintStream out, PrintStream err, Map<String, String> environment, Optional<Path> home) {
    this(out, err, environment, home, new CommandLineStyles());
  }

  /** Characters in a line of the terminal, as the launcher found it; 100 where it is none. */
  public int width() {
    String columns = environment.getOrDefault("COLUMNS", "");
    return columns.matches("[1-9]\\d{0,3}")
        ? Math.max(NARROWEST, Integer.parseInt(columns))
        : USUAL_WIDTH;
  }

  public static Console ofProcess() {
    return new Console(System.out, System.err, System.getenv(), ConfigurationFile.home());
  }
}
