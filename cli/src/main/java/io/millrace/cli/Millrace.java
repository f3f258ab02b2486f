package io.millrace.cli;

import io.millrace.cli.cleanup.CleanupCommand;
import io.millrace.cli.cluster.ClusterCommand;
import io.millrace.cli.cluster.LogLevelCommand;
import io.millrace.cli.cluster.WebCommand;
import io.millrace.cli.common.CommandVersion;
import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.ProgramMixin;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.common.Subcommands;
import io.millrace.cli.common.UsageException;
import io.millrace.cli.history.HistoryCommand;
import io.millrace.cli.jobs.CancelCommand;
import io.millrace.cli.jobs.CheckpointCommand;
import io.millrace.cli.jobs.ExplainCommand;
import io.millrace.cli.jobs.ListCommand;
import io.millrace.cli.jobs.SavepointCommand;
import io.millrace.cli.jobs.StopCommand;
import io.millrace.cli.jobs.TimelineCommand;
import io.millrace.cli.log.LogbackConfigurator;
import io.millrace.cli.memory.MemoryCommand;
import io.millrace.cli.project.NewCommand;
import io.millrace.cli.run.InfoCommand;
import io.millrace.cli.run.RunCommand;
import io.millrace.cli.server.JobManagerCommand;
import io.millrace.cli.server.TaskManagerCommand;
import io.millrace.cli.session.SessionCommand;
import io.millrace.cluster.ParentProcessWatcher;
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
    COMMANDS.put("run", console -> CommonMixin.command(common -> new RunCommand(console, common)));
    COMMANDS.put("new", console -> CommonMixin.command(new NewCommand(console)));
    COMMANDS.put("info", console -> CommonMixin.command(new InfoCommand(console)));
    COMMANDS.put("list", console -> CommonMixin.command(new ListCommand(console)));
    COMMANDS.put("cancel", console -> CommonMixin.command(new CancelCommand(console)));
    COMMANDS.put("stop", console -> CommonMixin.command(new StopCommand(console)));
    COMMANDS.put("savepoint", SavepointCommand::line);
    COMMANDS.put("checkpoint", console -> CommonMixin.command(new CheckpointCommand(console)));
    COMMANDS.put("explain", console -> CommonMixin.command(new ExplainCommand(console)));
    COMMANDS.put("timeline", console -> CommonMixin.command(new TimelineCommand(console)));
    COMMANDS.put("web", console -> CommonMixin.command(new WebCommand(console)));
    COMMANDS.put("log-level", console -> CommonMixin.command(new LogLevelCommand(console)));
    COMMANDS.put("cluster", ClusterCommand::line);
    COMMANDS.put("session", SessionCommand::line);
    COMMANDS.put("cleanup", console -> CommonMixin.command(new CleanupCommand(console)));
    COMMANDS.put(
        "memory", console -> CommonMixin.command(common -> new MemoryCommand(console, common)));
    COMMANDS.put("jobmanager", JobManagerCommand::line);
    COMMANDS.put("taskmanager", console -> CommonMixin.command(TaskManagerCommand::new));
    COMMANDS.put(
        "history", console -> CommonMixin.command(common -> new HistoryCommand(console, common)));
  }

  /** Commands in whose process the main of a program runs, which may add shutdown hooks. */
  private static final List<String> RUN_PROGRAMS = List.of("run", "info");

  private Millrace() {}

  public static void main(String[] arguments) {
    ParentProcessWatcher.watchIfAsked();
    Console console = Console.ofProcess();
    LogbackConfigurator.choose(console, arguments);
    if (arguments.length > 0 && RUN_PROGRAMS.contains(arguments[0])) {
      ShutdownSafeguard.install("millrace " + arguments[0]);
    }
    int code = run(console, arguments);
    System.out.flush();
    System.err.flush();
    // Threads that a program has left running would keep the process alive.
    System.exit(code);
  }

  /** Executes a command line and returns the exit code. */
  static int run(Console console, String... arguments) {
    if (asksForHelp(arguments)) {
      console.styles().load(console);
    }
    CommandLine commands = commands(console, arguments);
    return arguments.length == 0
        ? usage(commands)
        : commands.execute(console.styles().separated(arguments));
  }

  /** Arguments after a jar belong to the program. */
  private static boolean asksForHelp(String... arguments) {
    for (String argument : arguments) {
      if (argument.equals("-h") || argument.equals("--help")) {
        return true;
      }
      if (argument.endsWith(".jar")) {
        return false;
      }
    }
    return false;
  }

  static CommandLine commands(Console console, String... arguments) {
    CommandLine root = new CommandLine(new Root());
    // Building a command uses reflection, so only the command that is called is built.
    boolean known = arguments.length > 0 && COMMANDS.containsKey(arguments[0]);
    COMMANDS.forEach(
        (name, command) -> {
          if (!known || name.equals(arguments[0])) {
            root.addSubcommand(name, command.apply(console));
          }
        });
    root.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
    root.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
    stopAtProgramArguments(root);
    addStyles(console, root);
    root.setUsageHelpWidth(100);
    root.setParameterExceptionHandler(new UsageErrorHandler(console));
    root.setExecutionExceptionHandler(new ExecutionErrorHandler(console));
    return root;
  }

  /** Arguments after a program belong to it. In other commands, options may follow parameters. */
  private static void stopAtProgramArguments(CommandLine command) {
    boolean program =
        command.getCommandSpec().mixins().values().stream()
            .anyMatch(mixin -> mixin.userObject() instanceof ProgramMixin);
    command.getCommandSpec().parser().stopAtPositional(program);
    command.getSubcommands().values().forEach(Millrace::stopAtProgramArguments);
  }

  /** Adds the options of the loaded styles to the commands that accept them. */
  private static void addStyles(Console console, CommandLine command) {
    if (command.getCommand() instanceof StyledCommand styled) {
      console.styles().addTo(command.getCommandSpec(), styled.styleUse());
    }
    command.getSubcommands().values().forEach(child -> addStyles(console, child));
  }

  private static int usage(CommandLine commands) {
    commands.usage(commands.getErr());
    return ExitCodes.USAGE;
  }

  // Classes, not lambdas: a lambda of an interface of picocli, whose class files are old, keeps
  // that interface out of the CDS archive, and the JVM opens all jars to find it.

  private record UsageErrorHandler(Console console) implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
      CommandLine command = e.getCommandLine();
      if (command.getCommand() instanceof StyledCommand && !console.styles().areLoaded()) {
        // An unknown option may belong to a plugin.
        if (!console.styles().load(console).isEmpty()) {
          return run(console, arguments);
        }
      }
      String message =
          e instanceof UnmatchedArgumentException unmatched
              ? Subcommands.unmatched(unmatched)
              : e.getMessage();
      console.err().println("millrace: " + SingleLine.of(message));
      console.err().println("See `" + command.getCommandSpec().qualifiedName() + " --help`.");
      return ExitCodes.USAGE;
    }
  }

  private record ExecutionErrorHandler(Console console) implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
      Throwable cause = Failure.unwrap(e);
      if (LogbackConfigurator.isFileOnly()) {
        LoggerFactory.getLogger(Millrace.class)
            .error("{}", SensitiveValues.shown(parsed.originalArgs()), cause);
      }
      console.err().println("millrace: " + SingleLine.of(Failure.sentence(cause)));
      if (verbose(parsed)) {
        console.err().print(stack(cause));
      } else if (!(cause instanceof MillraceException)) {
        console
            .err()
            .println(
                "This is an error in Millrace. Run the command with --verbose to see the stack"
                    + " trace, and report it.");
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
    return parsed.hasMatchedOption(CommonMixin.VERBOSE)
        || (parsed.hasSubcommand() && verbose(parsed.subcommand()));
  }

  @Command(
      name = "millrace",
      mixinStandardHelpOptions = true,
      versionProvider = CommandVersion.class,
      synopsisSubcommandLabel = "COMMAND",
      description = "Runs dataflow programs, in this process or on a cluster.",
      footer = {
        "",
        "Example:",
        "  millrace run examples/word-count.jar",
        "",
        "`millrace COMMAND --help` describes a command."
      })
  private static final class Root {}
}
