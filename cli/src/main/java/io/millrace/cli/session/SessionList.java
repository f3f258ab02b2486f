package io.millrace.cli.session;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.TextTable;
import io.millrace.client.Session;
import io.millrace.core.config.Configuration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists sessions. */
@Command(
    name = "list",
    description = "Lists the running and starting sessions.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace session list"})
final class SessionList implements Callable<Integer> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

  private final Console console;

  @Mixin private SessionMixin options;

  SessionList(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Configuration configuration = options.load(console);
    List<Session> sessions = options.target(configuration).list(configuration);
    if (sessions.isEmpty()) {
      console.out().println("There are no sessions.");
      return ExitCodes.OK;
    }
    TextTable table = new TextTable("ID", "STATE", "STARTED", "QUEUE", "NAME");
    for (Session session : sessions) {
      Session.Info info = session.info();
      table.row(
          info.id(),
          info.state(),
          TIME.format(Instant.ofEpochMilli(info.startedAt())),
          SingleLine.of(info.place()),
          SingleLine.of(info.name()));
    }
    table.print(console.out());
    return ExitCodes.OK;
  }
}
