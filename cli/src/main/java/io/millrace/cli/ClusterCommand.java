package io.millrace.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A cluster on this machine. */
@Command(
    name = "cluster",
    description = "Starts, shows and stops a cluster of processes on this machine.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Example:",
      "  millrace cluster start --taskmanagers 2 --slots 4",
      "  millrace run -t remote examples/word-count.jar",
      "  millrace cluster stop",
      "  millrace cluster start --elastic --max-taskmanagers 4"
    })
final class ClusterCommand implements Runnable {
  @Spec private CommandSpec spec;

  static CommandLine line(Console console) {
    return new Verbosity()
        .added(new ClusterCommand())
        .addSubcommand("start", new Verbosity().added(new ClusterStart(console)))
        .addSubcommand("add", new Verbosity().added(new ClusterAdd(console)))
        .addSubcommand("limit", new Verbosity().added(new ClusterLimit(console)))
        .addSubcommand("block", new Verbosity().added(new ClusterBlock(console)))
        .addSubcommand("unblock", new Verbosity().added(new ClusterUnblock(console)))
        .addSubcommand("status", new Verbosity().added(new ClusterStatus(console)))
        .addSubcommand("stop", new Verbosity().added(new ClusterStop(console)));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), Subcommands.hint(spec.commandLine()));
  }
}
