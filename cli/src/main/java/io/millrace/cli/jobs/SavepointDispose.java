package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StatePath;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.deployment.ClusterMixin;
import io.millrace.client.RestClusterClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Deletes a savepoint. */
@Command(
    name = "dispose",
    description =
        "Deletes a savepoint, or a retained checkpoint of an ended job. The cluster deletes it,"
            + " because it can reach the files.",
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace savepoint dispose /data/savepoints/savepoint-5e20cb-0123456789ab"
    })
final class SavepointDispose implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Parameters(paramLabel = "PATH", description = "Directory of the savepoint.")
  private String path;

  @Mixin private ClusterMixin cluster;

  SavepointDispose(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    String absolute = StatePath.absolute(path);
    try (RestClusterClient client = cluster.cluster(console)) {
      new OperationWait(console, client.checkpoints())
          .result(client.checkpoints().dispose(absolute));
      console.out().println("Savepoint " + absolute + " deleted.");
      return ExitCodes.OK;
    }
  }
}
