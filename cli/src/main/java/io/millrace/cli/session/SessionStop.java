package io.millrace.cli.session;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ConsoleProgress;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.client.CommandLineStyle;
import io.millrace.client.RunningProgram.Outcome;
import io.millrace.client.Session;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stops a session. */
@Command(
    name = "stop",
    description = {
      "Stops a session and cancels its jobs.",
      "A session whose JobManager does not answer can only be killed. The command asks before."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace session stop",
      "  millrace session stop application_1700000000000_0001",
      "  millrace session stop --force application_1700000000000_0001"
    })
final class SessionStop implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Option(
      names = "--force",
      description = "Kill the session without a question if its JobManager does not answer.")
  private boolean force;

  @Mixin private SessionIdMixin selected;

  SessionStop(Console console) {
    this.console = console;
  }

  @Override
  public CommandLineStyle.Use styleUse() {
    return CommandLineStyle.Use.SESSION;
  }

  @Override
  public Integer call() {
    Session session = selected.find(console);
    Outcome end = session.stop(new ConsoleProgress(console), this::mayKill);
    console.out().println("Session " + session.info().id() + " has ended (" + end.status() + ")");
    return ExitCodes.OK;
  }

  private boolean mayKill(String why) {
    return force || console.confirm(why + " Kill it?");
  }
}
