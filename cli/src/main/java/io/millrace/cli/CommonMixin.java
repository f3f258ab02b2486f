package io.millrace.cli;

import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options of every command. */
final class CommonMixin {
  static final String NAME = "--verbose";

  /** A command with these options besides its own. */
  CommandLine added(Object command) {
    return new CommandLine(command).addMixin("common", this);
  }

  @Option(names = NAME, description = "Show the stack trace of an error.")
  boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;
}
