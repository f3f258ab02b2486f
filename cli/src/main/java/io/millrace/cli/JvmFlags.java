package io.millrace.cli;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.ShippedSizes;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells the launcher the memory flags of a process in the foreground, which has to have them before
 * its JVM starts. Not a command: it runs before one and has to be quick.
 */
final class MemoryFlags {
  private static final List<String> TAKE_A_VALUE =
      List.of("-D", "-c", "--class", "-p", "--parallelism");

  private MemoryFlags() {}

  /** Takes the process and the arguments of its command; prints the flags in one line. */
  public static void main(String[] arguments) {
    List<String> all = ofCommand(List.of(arguments));
    if (all.contains("-h") || all.contains("--help")) {
      return;
    }
    try {
      Configuration configuration =
          ConfigurationFile.load(
              System.getenv(),
              ConfigurationFile.home(),
              overrides(all.subList(1, all.size())),
              // The process itself warns.
              warning -> {});
      System.out.println(
          String.join(
              " ", ProcessMemory.of(all.get(0), ShippedSizes.in(configuration)).jvmArguments()));
    } catch (MillraceException e) {
      System.err.println("millrace: " + Millrace.oneLine(e.getMessage()));
      System.exit(ExitCodes.ERROR);
    }
  }

  /** Without what belongs to the program that the process runs, its jar included. */
  static List<String> ofCommand(List<String> arguments) {
    int application = arguments.indexOf(ApplicationCommand.NAME);
    if (application < 0) {
      return arguments;
    }
    int end = application + 1;
    while (end < arguments.size() && arguments.get(end).startsWith("-")) {
      end += TAKE_A_VALUE.contains(arguments.get(end)) ? 2 : 1;
    }
    return arguments.subList(0, Math.min(end, arguments.size()));
  }

  /** What {@code -D} gives; whatever else is wrong with the arguments the command itself tells. */
  static List<String> overrides(List<String> arguments) {
    List<String> pairs = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.equals("-D") && i + 1 < arguments.size()) {
        pairs.add(arguments.get(++i));
      } else if (argument.startsWith("-D") && argument.length() > 2) {
        pairs.add(argument.substring(2));
      }
    }
    return pairs;
  }
}
