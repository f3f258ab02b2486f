package io.millrace.cli.session;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ConsoleProgress;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.target.YarnStyleOptions;
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
      "Starts a session, which later commands of this user mean unless they say otherwise.",
      "Without -d it stays in the foreground; Ctrl-C leaves the session running."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace session start -t yarn-session -d",
      "  millrace session start -t yarn-session -d -yjm 1600 -ytm 4096 -ys 4 -yqu analytics",
      "  millrace run examples/word-count.jar"
    })
final class SessionStart implements Callable<Integer> {
  private final Console console;

  @Option(
      names = {"-d", "--detached"},
      description = "Return when the session takes jobs.")
  private boolean detached;

  @Option(
      names = {"-sae", "--shutdownOnAttachedExit"},
      description = "Stop the session when this command is interrupted, as by Ctrl-C.")
  private boolean shutdownOnExit;

  @Mixin private SessionMixin options;
  @Mixin private YarnStyleOptions yarn;

  SessionStart(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    yarn.warn(console);
    Configuration configuration = options.load(console, yarn.overrides());
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
