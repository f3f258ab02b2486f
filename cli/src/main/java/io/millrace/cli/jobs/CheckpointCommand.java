package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.deployment.ClusterMixin;
import io.millrace.client.RestClusterClient;
import io.millrace.core.id.JobId;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Takes a checkpoint of a job. */
@Command(
    name = "checkpoint",
    description =
        "Takes a checkpoint of a job now and waits until it is stored. A failure of the job goes"
            + " back to it.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace checkpoint 5e20cb6b0f357591171dfcca2eea09de"})
public final class CheckpointCommand implements Callable<Integer>, StyledCommand {
  private final Console console;

  @Mixin private JobIdMixin job;
  @Mixin private ClusterMixin cluster;

  public CheckpointCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    JobId id = job.id();
    try (RestClusterClient client = cluster.cluster(console)) {
      console.err().println("Taking a checkpoint of job " + id);
      String number =
          new OperationWait(console, client.checkpoints())
              .result(client.checkpoints().checkpoint(id), id);
      console.out().println("Checkpoint " + number + " completed.");
      return ExitCodes.OK;
    }
  }
}
