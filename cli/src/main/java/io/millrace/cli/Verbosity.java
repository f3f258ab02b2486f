package io.millrace.cli;

import picocli.CommandLine.Option;

/** Mixed into every command. */
final class Verbosity {
  static final String NAME = "--verbose";

  @Option(names = NAME, description = "Show the stack trace of an error.")
  boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;
}
