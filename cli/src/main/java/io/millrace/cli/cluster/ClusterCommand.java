package io.millrace.cli.cluster;

import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.Subcommands;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code cluster}, with its subcommands. */
@Command(
    name = "cluster",
    description =
        "Starts, shows and stops a cluster of processes on this machine, which other machines may"
            + " join.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Example:",
      "  millrace cluster start --taskmanagers 2 --slots 4",
      "  millrace run -t remote examples/word-count.jar",
      "  millrace cluster stop",
      "  millrace cluster start --elastic --max-taskmanagers 4"
    })
public final class ClusterCommand implements Runnable {
  @Spec private CommandSpec spec;

  public static CommandLine line(Console console) {
    return CommonMixin.command(new ClusterCommand())
        .addSubcommand("start", CommonMixin.command(new ClusterStart(console)))
        .addSubcommand("add", CommonMixin.command(new ClusterAdd(console)))
        .addSubcommand("keys", CommonMixin.command(new ClusterKeysCommand(console)))
        .addSubcommand("bundle", CommonMixin.command(new ClusterBundle(console)))
        .addSubcommand("join", CommonMixin.command(new ClusterJoin(console)))
        .addSubcommand("limit", CommonMixin.command(new ClusterLimit(console)))
        .addSubcommand("block", CommonMixin.command(new ClusterBlock(console)))
        .addSubcommand("unblock", CommonMixin.command(new ClusterUnblock(console)))
        .addSubcommand("status", CommonMixin.command(new ClusterStatus(console)))
        .addSubcommand("stop", CommonMixin.command(new ClusterStop(console)));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), Subcommands.hint(spec.commandLine()));
  }
}
