package io.millrace.cli.session;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ConsoleProgress;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.client.CommandLineStyle;
import io.millrace.client.Session;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a session. */
@Command(
    name = "start",
    description = {
      "Starts a session, which becomes the default of this user's later commands.",
      "Without -d the command waits for its end; Ctrl-C leaves the session running."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace session start -d -D taskmanager.numberOfTaskSlots=4",
      "  millrace run examples/word-count.jar"
    })
final class SessionStart implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Option(
      names = {"-d", "--detached"},
      description = "Return when the session accepts jobs.")
  private boolean detached;

  @Option(
      names = {"-sae", "--shutdownOnAttachedExit"},
      description = "Stop the session when this command is interrupted, as by Ctrl-C.")
  private boolean shutdownOnExit;

  @Mixin private SessionMixin options;

  SessionStart(Console console) {
    this.console = console;
  }

  @Override
  public CommandLineStyle.Use styleUse() {
    return CommandLineStyle.Use.START_SESSION;
  }

  @Override
  public Integer call() {
    Configuration configuration = options.load(console);
    boolean attached = configuration.get(DeploymentOptions.ATTACHED) && !detached;
    Session session =
        options.target(configuration).start(configuration, new ConsoleProgress(console));
    console.out().println("Session " + session.info().id() + " runs at " + session.address().url());
    if (!attached) {
      console.err().println("Stop it with: millrace session stop " + session.info().id());
      return ExitCodes.OK;
    }
    return new SessionMonitor(
            console,
            session,
            shutdownOnExit || configuration.get(DeploymentOptions.SHUTDOWN_IF_ATTACHED))
        .follow();
  }
}
