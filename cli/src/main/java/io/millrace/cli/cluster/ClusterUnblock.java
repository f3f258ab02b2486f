package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.client.RestClusterClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Removes an entry of the blocklist. */
@Command(
    name = "unblock",
    description = "Unblocks a TaskManager or node, so that it gets new slots again.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster unblock taskmanager-2"})
final class ClusterUnblock implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Parameters(index = "0", paramLabel = "NAME", description = "The blocked TaskManager or node.")
  private String target;

  @Mixin private RunningClusterMixin cluster;

  ClusterUnblock(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (RestClusterClient client = cluster.client(console)) {
      client.unblock(target);
      console.out().println(target + " is no longer blocked.");
    }
    return ExitCodes.OK;
  }
}
