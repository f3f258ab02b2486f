package io.millrace.cli.session;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.StyledCommand;
import io.millrace.client.CommandLineStyle;
import io.millrace.client.Session;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Waits for the end of a running session. */
@Command(
    name = "attach",
    description = "Waits until a session ends. Ctrl-C leaves it running.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace session attach application_1700000000000_0001"})
final class SessionAttach implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Mixin private SessionIdMixin selected;

  SessionAttach(Console console) {
    this.console = console;
  }

  @Override
  public CommandLineStyle.Use styleUse() {
    return CommandLineStyle.Use.SESSION;
  }

  @Override
  public Integer call() {
    Session session = selected.find(console);
    console.out().println("Session " + session.info().id() + " runs at " + session.address().url());
    return new SessionMonitor(console, session, false).follow();
  }
}
