package io.millrace.cli.cluster;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.client.CommandLineStyle;
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

/** Changes how many TaskManagers an elastic cluster may have. */
@Command(
    name = "limit",
    description = {
      "Changes how many TaskManagers a running elastic cluster may have.",
      "Jobs that wait for more get them at once; where there are too many already, they go when they"
          + " have nothing to do."
    },
    sortOptions = false,
    footer = {"", "Example:", "  millrace cluster limit --max-taskmanagers 8"})
final class ClusterLimit implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Option(
      names = "--max-taskmanagers",
      paramLabel = "N",
      required = true,
      description = "TaskManagers it has at most.")
  private int maxTaskManagers;

  @Mixin private RunningClusterMixin cluster;

  ClusterLimit(Console console) {
    this.console = console;
  }

  @Override
  public CommandLineStyle.Use styleUse() {
    return CommandLineStyle.Use.CLUSTER;
  }

  @Override
  public Integer call() throws IOException {
    ClusterStart.check("--max-taskmanagers", maxTaskManagers);
    if (cluster.isNamedByAddress(console)) {
      limitAt();
    } else {
      HostPort address = cluster.address(console);
      ClusterDirectory place = cluster.directory(console);
      place.withLock(() -> limit(place, address));
    }
    return ExitCodes.OK;
  }

  private void limitAt() {
    try (RestClusterClient client = cluster.client(console)) {
      client.limitWorkers(maxTaskManagers);
    }
    told();
    console
        .err()
        .println(
            "Without high-availability.type a JobManager that is started again has the limit of its"
                + " configuration.");
  }

  private void limit(ClusterDirectory place, HostPort address) throws IOException {
    Configuration configuration = place.configuration();
    if (!ClusterStart.isElastic(configuration)) {
      throw new MillraceException(
          ErrorKind.USER,
          "This cluster has the TaskManagers that it was started with. Start more with `millrace"
              + " cluster add`.");
    }
    try (RestClusterClient client = RestClusterClient.at(address, configuration)) {
      client.limitWorkers(maxTaskManagers);
    }
    // A JobManager that is started again is to know.
    ConfigurationFile.write(
        configuration.with(ProcessOptions.MAX_TASK_MANAGERS, maxTaskManagers), place.conf());
    told();
  }

  private void told() {
    console.out().println("The cluster has up to " + Plural.of(maxTaskManagers, "TaskManager"));
  }
}
