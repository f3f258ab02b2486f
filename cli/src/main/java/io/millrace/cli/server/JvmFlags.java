package io.millrace.cli.server;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.memory.MemoryReport;
import io.millrace.client.ConfigurationFile;
import io.millrace.cluster.ServerJvm;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.Option;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.DefaultProcessSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells the launcher the options of a JVM that follow from the configuration: those of a server in
 * the foreground, and those of a command where the configuration file is too intricate for the
 * launcher itself. Not a command: it runs before one and has to be quick.
 */
public final class JvmFlags {
  public static final String CLIENT = "client";

  private static final List<String> TAKE_A_VALUE =
      List.of("-D", "-c", "--class", "-p", "--parallelism");

  /** {@code -D}, also in the spelling of a command-line style, which has a letter before it. */
  private static final Pattern SETTING = Pattern.compile("-[a-z]?D(?<pair>.*)");

  private JvmFlags() {}

  /** Takes the process and the arguments of its command; prints the flags in one line. */
  public static void main(String[] arguments) {
    List<String> all = ofCommand(List.of(arguments));
    if (all.contains("-h") || all.contains("--help")) {
      return;
    }
    try {
      System.out.println(
          String.join(" ", of(Console.ofProcess(), all.get(0), all.subList(1, all.size()))));
    } catch (MillraceException e) {
      System.err.println("millrace: " + SingleLine.of(e.getMessage()));
      System.exit(ExitCodes.ERROR);
    }
  }

  /** Configured options come last and so win over ours. */
  public static List<String> of(Console console, String process, List<String> arguments) {
    Configuration configuration =
        ConfigurationFile.load(
            console.environment(),
            console.home(),
            overrides(arguments),
            // The command itself warns.
            warning -> {});
    List<String> flags = new ArrayList<>();
    if (!process.equals(CLIENT)) {
      flags.addAll(MemoryReport.of(process, DefaultProcessSizes.in(configuration)).jvmArguments());
    }
    for (Option<String> option :
        List.of(
            CoreOptions.JVM_OPTIONS,
            switch (process) {
              case "jobmanager" -> CoreOptions.JOB_MANAGER_JVM_OPTIONS;
              case "taskmanager" -> CoreOptions.TASK_MANAGER_JVM_OPTIONS;
              default -> CoreOptions.CLIENT_JVM_OPTIONS;
            })) {
      flags.addAll(ServerJvm.words(configuration.get(option)));
    }
    return flags;
  }

  /** Without what belongs to the program that the process runs, its jar included. */
  public static List<String> ofCommand(List<String> arguments) {
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

  /**
   * What {@code -D} gives before a program; whatever else is wrong with the arguments the command
   * itself tells.
   */
  public static List<String> overrides(List<String> arguments) {
    List<String> pairs = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.endsWith(".jar")) {
        break;
      }
      Matcher setting = SETTING.matcher(argument);
      if (setting.matches() && !setting.group("pair").isEmpty()) {
        pairs.add(setting.group("pair"));
      } else if (setting.matches() && i + 1 < arguments.size()) {
        pairs.add(arguments.get(++i));
      }
    }
    return pairs;
  }
}
