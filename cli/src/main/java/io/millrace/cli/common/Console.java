package io.millrace.cli.common;

import io.millrace.client.ProcessEnvironment;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The output streams and the environment of a command.
 *
 * @param out results
 * @param err progress and errors
 * @param process the environment variables and the root of the distribution
 * @param styles the command-line styles of plugins, with their arguments on this command line
 */
public record Console(
    PrintStream out, PrintStream err, ProcessEnvironment process, CommandLineStyles styles) {
  private static final int DEFAULT_WIDTH = 100;
  private static final int MIN_WIDTH = 40;

  public Console {
    Objects.requireNonNull(out);
    Objects.requireNonNull(err);
    Objects.requireNonNull(process);
    Objects.requireNonNull(styles);
  }

  /** With command-line styles that are not loaded yet. */
  public Console(PrintStream out, PrintStream err, ProcessEnvironment process) {
    this(out, err, process, new CommandLineStyles());
  }

  /** The environment variables. */
  public Map<String, String> environment() {
    return process.variables();
  }

  /** The root of the distribution, if this process was started from one. */
  public Optional<Path> home() {
    return process.home();
  }

  /**
   * The width of the terminal, which the launcher passes in {@code COLUMNS}; 100 without a
   * terminal.
   */
  public int width() {
    String columns = environment().getOrDefault("COLUMNS", "");
    return columns.matches("[1-9]\\d{0,3}")
        ? Math.max(MIN_WIDTH, Integer.parseInt(columns))
        : DEFAULT_WIDTH;
  }

  /** Asks the user at the terminal; the answer is no if there is no terminal. */
  // Newer JVMs have a console without a terminal, too; it reads the end of the input.
  @SuppressWarnings("SystemConsoleNull")
  public boolean confirm(String question) {
    java.io.Console terminal = System.console();
    if (terminal == null) {
      return false;
    }
    String answer = terminal.readLine("%s [y/N] ", question);
    return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
  }

  public static Console ofProcess() {
    return new Console(System.out, System.err, ProcessEnvironment.current());
  }
}
