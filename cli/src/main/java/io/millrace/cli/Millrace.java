package io.millrace.cli;

import io.millrace.cluster.ParentProcess;
import io.millrace.cluster.ShutdownSafeguard;
import io.millrace.core.config.SensitiveValues;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.FailureException;
import io.millrace.core.error.MillraceException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code millrace}. */
public final class Millrace {
  private static final Map<String, Function<Console, CommandLine>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("run", console -> with(verbosity -> new RunCommand(console, verbosity)));
    COMMANDS.put("info", console -> new Verbosity().added(new InfoCommand(console)));
    COMMANDS.put("list", console -> new Verbosity().added(new ListCommand(console)));
    COMMANDS.put("cancel", console -> new Verbosity().added(new CancelCommand(console)));
    COMMANDS.put("explain", console -> new Verbosity().added(new ExplainCommand(console)));
    COMMANDS.put("timeline", console -> new Verbosity().added(new TimelineCommand(console)));
    COMMANDS.put("cluster", ClusterCommand::line);
    COMMANDS.put("session", SessionCommand::line);
    COMMANDS.put("memory", console -> with(verbosity -> new MemoryCommand(console, verbosity)));
    COMMANDS.put("jobmanager", JobManagerCommand::line);
    COMMANDS.put("taskmanager", console -> with(TaskManagerCommand::new));
    COMMANDS.put("history", console -> with(verbosity -> new HistoryCommand(console, verbosity)));
  }

  /** Commands in whose process the main of a program runs, which may add shutdown hooks. */
  private static final List<String> RUN_PROGRAMS = List.of("run", "info");

  private Millrace() {}

  public static void main(String[] arguments) {
    ParentProcess.watchIfAsked();
    Console console = Console.ofProcess();
    LogFile.choose(console, arguments);
    if (arguments.length > 0 && RUN_PROGRAMS.contains(arguments[0])) {
      ShutdownSafeguard.install("millrace " + arguments[0]);
    }
    int code = run(console, arguments);
    System.out.flush();
    System.err.flush();
    // A program may leave threads behind that would keep the process alive.
    System.exit(code);
  }

  /** A command that itself asks how much to tell. */
  static CommandLine with(Function<Verbosity, Object> command) {
    Verbosity verbosity = new Verbosity();
    return verbosity.added(command.apply(verbosity));
  }

  /** Runs a command and returns its exit code. */
  static int run(Console console, String... arguments) {
    CommandLine commands = commands(console, arguments);
    return arguments.length == 0
        ? usage(commands)
        : commands.execute(YarnStyleOptions.apart(arguments));
  }

  static CommandLine commands(Console console, String... arguments) {
    CommandLine root = new CommandLine(new Root());
    // Building a command takes reflection, and one call needs one command.
    boolean known = arguments.length > 0 && COMMANDS.containsKey(arguments[0]);
    COMMANDS.forEach(
        (name, command) -> {
          if (!known || name.equals(arguments[0])) {
            root.addSubcommand(name, command.apply(console));
          }
        });
    root.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
    root.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
    leaveToPrograms(root);
    root.setUsageHelpWidth(100);
    root.setParameterExceptionHandler(new Misuse(console));
    root.setExecutionExceptionHandler(new Mishap(console));
    return root;
  }

  /** What follows a program belongs to it; elsewhere options may come after names, too. */
  private static void leaveToPrograms(CommandLine command) {
    boolean program =
        command.getCommandSpec().mixins().values().stream()
            .anyMatch(mixin -> mixin.userObject() instanceof ProgramOptions);
    command.getCommandSpec().parser().stopAtPositional(program);
    command.getSubcommands().values().forEach(Millrace::leaveToPrograms);
  }

  private static int usage(CommandLine commands) {
    commands.usage(commands.getErr());
    return ExitCodes.USAGE;
  }

  // Classes, not lambdas: a lambda of a type as old as picocli's keeps that type out of the archive
  // of loaded classes, and then all jars are opened to find it.

  private record Misuse(Console console) implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
      CommandLine command = e.getCommandLine();
      String message =
          e instanceof UnmatchedArgumentException unmatched
              ? Subcommands.unmatched(unmatched)
              : e.getMessage();
      console.err().println("millrace: " + oneLine(message));
      console.err().println("See `" + command.getCommandSpec().qualifiedName() + " --help`.");
      return ExitCodes.USAGE;
    }
  }

  private record Mishap(Console console) implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
      Throwable cause = Failure.unwrap(e);
      if (LogFile.isFileOnly()) {
        LoggerFactory.getLogger(Millrace.class)
            .error("{}", SensitiveValues.shown(parsed.originalArgs()), cause);
      }
      console.err().println("millrace: " + oneLine(Failure.sentence(cause)));
      if (verbose(parsed)) {
        console.err().print(stack(cause));
      } else if (!(cause instanceof MillraceException)) {
        console.err().println("This is a mistake of Millrace; --verbose shows where.");
      }
      return cause instanceof UsageException ? ExitCodes.USAGE : ExitCodes.ERROR;
    }
  }

  private static String stack(Throwable cause) {
    return cause instanceof FailureException carried && !carried.failure().stack().isEmpty()
        ? carried.failure().stack() + System.lineSeparator()
        : Failure.of(cause, ErrorKind.BUG).stack();
  }

  private static boolean verbose(ParseResult parsed) {
    return parsed.hasMatchedOption(Verbosity.NAME)
        || (parsed.hasSubcommand() && verbose(parsed.subcommand()));
  }

  /** The text without line breaks and other control characters, which could fool a reader. */
  static String oneLine(String text) {
    StringBuilder line = new StringBuilder(text.length());
    boolean broken = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
        broken = true;
      } else if (!broken) {
        line.append(c);
      } else if (c != ' ') {
        String before = line.toString().stripTrailing();
        line.setLength(before.length());
        line.append(line.isEmpty() ? "" : " ").append(c);
        broken = false;
      }
    }
    return line.toString().strip();
  }

  @Command(
      name = "millrace",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class,
      synopsisSubcommandLabel = "COMMAND",
      description = "Runs dataflow programs, in this process or on a cluster.",
      footer = {
        "",
        "Example:",
        "  millrace run examples/word-count.jar",
        "",
        "`millrace COMMAND --help` tells more about a command."
      })
  private static final class Root {}
}
