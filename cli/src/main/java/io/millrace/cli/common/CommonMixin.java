package io.millrace.cli.common;

import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options of every command. */
public final class CommonMixin {
  public static final String VERBOSE = "--verbose";

  @Option(names = VERBOSE, description = "Show the stack trace of an error.")
  private boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  /** A command with these options besides its own. */
  public static CommandLine command(Object command) {
    return new CommonMixin().addedTo(command);
  }

  /** A command that reads these options itself. */
  public static CommandLine command(Function<CommonMixin, Object> command) {
    CommonMixin common = new CommonMixin();
    return common.addedTo(command.apply(common));
  }

  /** A command with the options of this instance besides its own. */
  public CommandLine addedTo(Object command) {
    return new CommandLine(command).addMixin("common", this);
  }

  /** Whether {@code --verbose} is given. */
  public boolean isVerbose() {
    return verbose;
  }
}
