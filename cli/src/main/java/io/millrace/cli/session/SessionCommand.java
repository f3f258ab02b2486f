package io.millrace.cli.session;

import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.Subcommands;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code session}, with its subcommands. */
@Command(
    name = "session",
    description = {
      "Starts, attaches to, lists and stops session clusters, which accept jobs until they are"
          + " stopped.",
      "A session starts TaskManagers when its jobs need them and releases idle ones."
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Example:",
      "  millrace session start -d -D taskmanager.numberOfTaskSlots=4",
      "  millrace run examples/word-count.jar",
      "  millrace session list",
      "  millrace session stop"
    })
public final class SessionCommand implements Runnable {
  @Spec private CommandSpec spec;

  public static CommandLine line(Console console) {
    return CommonMixin.command(new SessionCommand())
        .addSubcommand("start", CommonMixin.command(new SessionStart(console)))
        .addSubcommand("attach", CommonMixin.command(new SessionAttach(console)))
        .addSubcommand("list", CommonMixin.command(new SessionList(console)))
        .addSubcommand("stop", CommonMixin.command(new SessionStop(console)));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), Subcommands.hint(spec.commandLine()));
  }
}
