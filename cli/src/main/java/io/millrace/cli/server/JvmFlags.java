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
 * Prints JVM options for the launcher: those of a server in the foreground, and those of a command
 * if the launcher cannot parse the configuration file itself. It is not a command, because it runs
 * before each of these commands and must start fast.
 */
public final class JvmFlags {
  public static final String CLIENT = "client";

  private static final List<String> OPTIONS_WITH_VALUE =
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

  /** Configured options come last, so they override the computed ones. */
  public static List<String> of(Console console, String process, List<String> arguments) {
    Configuration configuration =
        ConfigurationFile.load(
            console.process(),
            overrides(arguments),
            // The command prints the warnings.
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

  /** The arguments without the program's jar and its arguments. */
  public static List<String> ofCommand(List<String> arguments) {
    int application = arguments.indexOf(ApplicationCommand.NAME);
    if (application < 0) {
      return arguments;
    }
    int end = application + 1;
    while (end < arguments.size() && arguments.get(end).startsWith("-")) {
      end += OPTIONS_WITH_VALUE.contains(arguments.get(end)) ? 2 : 1;
    }
    return arguments.subList(0, Math.min(end, arguments.size()));
  }

  /** The {@code -D} pairs before a program's jar. The command itself reports illegal arguments. */
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
