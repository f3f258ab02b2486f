package io.millrace.cli.common;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says which subcommands a command has, to a user who names none or an unknown one. */
public final class Subcommands {
  private Subcommands() {}

  /** For example: {@code Say start, attach, list or stop.} */
  public static String hint(CommandLine command) {
    List<String> names = List.copyOf(command.getSubcommands().keySet());
    int last = names.size() - 1;
    return "Say "
        + (last == 0
            ? names.get(0)
            : String.join(", ", names.subList(0, last)) + " or " + names.get(last))
        + ".";
  }

  /** What is wrong with a command line that has words nobody takes. */
  public static String unmatched(UnmatchedArgumentException e) {
    CommandLine command = e.getCommandLine();
    String word = e.getUnmatched().get(0);
    return command.getSubcommands().isEmpty() || word.startsWith("-")
        ? e.getMessage()
        : "'"
            + word
            + "' is not a command of `"
            + command.getCommandSpec().qualifiedName()
            + "`. "
            + hint(command);
  }
}
