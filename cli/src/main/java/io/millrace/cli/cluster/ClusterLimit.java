package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ProcessOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.text.Plural;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Changes the maximum number of TaskManagers of an elastic cluster. */
@Command(
    name = "limit",
    description = {
      "Changes the maximum number of TaskManagers of a running elastic cluster.",
      "Jobs that wait for more get them at once. TaskManagers above the limit end when they are"
          + " idle."
    },
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster limit --max-taskmanagers 8"})
final class ClusterLimit implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Option(
      names = "--max-taskmanagers",
      paramLabel = "N",
      required = true,
      description = "Maximum number of TaskManagers.")
  private int maxTaskManagers;

  @Mixin private RunningClusterMixin cluster;

  ClusterLimit(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    ClusterStart.check("--max-taskmanagers", maxTaskManagers);
    if (cluster.isNamedByAddress(console)) {
      limitAt();
    } else {
      HostPort address = cluster.address(console);
      ClusterDirectory clusterDirectory = cluster.directory(console);
      clusterDirectory.withLock(() -> limit(clusterDirectory, address));
    }
    return ExitCodes.OK;
  }

  private void limitAt() {
    try (RestClusterClient client = cluster.client(console)) {
      client.limitWorkers(maxTaskManagers);
    }
    printLimit();
    console
        .err()
        .println(
            "Without high-availability.type, a restarted JobManager uses the limit of its"
                + " configuration.");
  }

  private void limit(ClusterDirectory clusterDirectory, HostPort address) throws IOException {
    Configuration configuration = clusterDirectory.configuration();
    if (!ClusterStart.isElastic(configuration)) {
      throw new MillraceException(
          ErrorKind.USER,
          "This cluster is not elastic, so it has no limit. Start more TaskManagers with `millrace"
              + " cluster add`.");
    }
    try (RestClusterClient client = RestClusterClient.at(address, configuration)) {
      client.limitWorkers(maxTaskManagers);
    }
    // For a restarted JobManager.
    ConfigurationFile.write(
        configuration.with(ProcessOptions.MAX_TASK_MANAGERS, maxTaskManagers),
        clusterDirectory.conf());
    printLimit();
  }

  private void printLimit() {
    console.out().println("The cluster has up to " + Plural.of(maxTaskManagers, "TaskManager"));
  }
}
