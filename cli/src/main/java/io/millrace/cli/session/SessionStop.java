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

/** Stops a session. */
@Command(
    name = "stop",
    description = "Stops a session and cancels its jobs.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace session stop",
      "  millrace session stop application_1700000000000_0001"
    })
final class SessionStop implements Callable<Integer>, StyledCommand {
  private final Console console;

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
    Outcome end = session.stop(new ConsoleProgress(console));
    console.out().println("Session " + session.info().id() + " has ended (" + end.status() + ")");
    return ExitCodes.OK;
  }
}
