package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StatePath;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.deployment.ClusterMixin;
import io.millrace.client.RestClusterClient;
import io.millrace.client.SavepointRequest;
import io.millrace.core.id.JobId;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stops a job with a savepoint. */
@Command(
    name = "stop",
    description =
        "Stops a job with a savepoint, from which `run -s` continues it, and waits until the job"
            + " has finished. `cancel` ends a job without a savepoint.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace stop 5e20cb6b0f357591171dfcca2eea09de",
      "  millrace stop --savepointPath /data/savepoints --drain 5e20cb6b0f357591171dfcca2eea09de"
    })
public final class StopCommand implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Mixin private JobIdMixin job;

  @Option(
      names = {"-p", "--savepointPath"},
      paramLabel = "DIR",
      description =
          "Directory in which the savepoint gets a directory of its own. Default:"
              + " execution.checkpointing.savepoint-dir.")
  private Optional<String> directory = Optional.empty();

  @Option(
      names = {"-d", "--drain"},
      description =
          "Let event time end first, so that all windows and timers fire. Only for jobs that will"
              + " not be continued.")
  private boolean drain;

  @Mixin private SavepointFormatMixin type;
  @Mixin private ClusterMixin cluster;

  public StopCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    JobId id = job.id();
    SavepointRequest request =
        new SavepointRequest(id, directory.map(StatePath::absolute), type.format());
    try (RestClusterClient client = cluster.cluster(console)) {
      console.err().println("Stopping job " + id + " with a savepoint");
      String path =
          new OperationWait(console, client.checkpoints())
              .result(client.checkpoints().stop(request, drain), id);
      console.out().println("Savepoint completed. Path: " + path);
      return ExitCodes.OK;
    }
  }
}
