package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.client.CommandLineStyle;
import io.millrace.client.RestClusterClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Ends a block before its time. */
@Command(
    name = "unblock",
    description = "Lets a blocked TaskManager or node get new slots again.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster unblock taskmanager-2"})
final class ClusterUnblock implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Parameters(index = "0", paramLabel = "NAME", description = "What was blocked.")
  private String target;

  @Mixin private RunningClusterMixin cluster;

  ClusterUnblock(Console console) {
    this.console = console;
  }

  @Override
  public CommandLineStyle.Use styleUse() {
    return CommandLineStyle.Use.CLUSTER;
  }

  @Override
  public Integer call() {
    try (RestClusterClient client = cluster.client(console)) {
      client.unblock(target);
      console.out().println(target + " may get new slots again.");
    }
    return ExitCodes.OK;
  }
}
