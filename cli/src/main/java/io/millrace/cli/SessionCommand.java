package io.millrace.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Clusters elsewhere that take jobs until they are stopped. */
@Command(
    name = "session",
    description = {
      "Starts, attaches to, lists and stops session clusters, which take jobs until they are"
          + " stopped.",
      "On YARN, TaskManagers are started as the jobs need them, and given back when idle."
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Example:",
      "  millrace session start -t yarn-session -d -D taskmanager.numberOfTaskSlots=4",
      "  millrace run examples/word-count.jar",
      "  millrace session list",
      "  millrace session stop"
    })
final class SessionCommand implements Runnable {
  @Spec private CommandSpec spec;

  static CommandLine line(Console console) {
    return new Verbosity()
        .added(new SessionCommand())
        .addSubcommand("start", new Verbosity().added(new SessionStart(console)))
        .addSubcommand("attach", new Verbosity().added(new SessionAttach(console)))
        .addSubcommand("list", new Verbosity().added(new SessionList(console)))
        .addSubcommand("stop", new Verbosity().added(new SessionStop(console)));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), Subcommands.hint(spec.commandLine()));
  }
}
