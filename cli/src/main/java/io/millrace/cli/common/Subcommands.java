package io.millrace.cli.common;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.UnmatchedArgumentException;

/** Errors for a missing or unknown subcommand, which list the subcommands of a command. */
public final class Subcommands {
  private Subcommands() {}

  /** For example: {@code Choose start, attach, list or stop.} */
  public static String hint(CommandLine command) {
    List<String> names = List.copyOf(command.getSubcommands().keySet());
    int last = names.size() - 1;
    return "Choose "
        + (last == 0
            ? names.get(0)
            : String.join(", ", names.subList(0, last)) + " or " + names.get(last))
        + ".";
  }

  /** The error for an argument that the command does not have. */
  public static String unmatched(UnmatchedArgumentException e) {
    CommandLine command = e.getCommandLine();
    String word = e.getUnmatched().get(0);
    return command.getSubcommands().isEmpty() || word.startsWith("-")
        ? e.getMessage() + similarOption(e)
        : "'"
            + word
            + "' is not a command of `"
            + command.getCommandSpec().qualifiedName()
            + "`. "
            + hint(command);
  }

  private static String similarOption(UnmatchedArgumentException e) {
    return e.isUnknownOption()
        ? e.getSuggestions().stream()
            .findFirst()
            .map(option -> ". Did you mean " + option + "?")
            .orElse("")
        : "";
  }
}
