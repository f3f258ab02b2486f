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
import picocli.CommandLine.Option;

/** Lists sessions. */
@Command(
    name = "list",
    description = "Lists the running and starting sessions of this user.",
    sortOptions = false,
    footer = {"", "Examples:", "  millrace session list", "  millrace session list --all"})
final class SessionList implements Callable<Integer> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

  private final Console console;

  @Option(names = "--all", description = "List the sessions of all users.")
  private boolean all;

  @Mixin private SessionMixin options;

  SessionList(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Configuration configuration = options.load(console);
    List<Session> sessions = options.target(configuration).list(configuration, all);
    if (sessions.isEmpty()) {
      console
          .out()
          .println(
              all
                  ? "There are no sessions."
                  : "This user has no sessions. `millrace session list --all` lists those of all"
                      + " users.");
      return ExitCodes.OK;
    }
    TextTable table = new TextTable("ID", "USER", "STATE", "STARTED", "QUEUE", "NAME");
    for (Session session : sessions) {
      Session.Info info = session.info();
      table.row(
          info.id(),
          SingleLine.of(info.user()),
          info.state(),
          TIME.format(Instant.ofEpochMilli(info.startedAt())),
          SingleLine.of(info.place()),
          SingleLine.of(info.name()));
    }
    table.print(console.out());
    return ExitCodes.OK;
  }
}
