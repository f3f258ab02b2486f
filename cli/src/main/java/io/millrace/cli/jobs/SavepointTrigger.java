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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes a savepoint of a job. */
@Command(
    name = "trigger",
    description = "Takes a savepoint of a job, which continues, and waits until it is stored.",
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace savepoint trigger 5e20cb6b0f357591171dfcca2eea09de /data/savepoints"
    })
class SavepointTrigger implements Callable<Integer>, StyledCommand {
  private final Console console;

  /** Optional for the parser, because this command has subcommands. */
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "JOB",
      description = "Id of the job, as `list` shows it.")
  private Optional<String> job = Optional.empty();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "DIR",
      description =
          "Directory in which the savepoint gets a directory of its own. Default:"
              + " execution.checkpointing.savepoint-dir.")
  private Optional<String> directory = Optional.empty();

  @Mixin private SavepointFormatMixin type;
  @Mixin private ClusterMixin cluster;
  @Spec private CommandSpec spec;

  SavepointTrigger(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    JobId id =
        JobIdMixin.parse(
            job.orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(), "Missing required parameter: 'JOB'")));
    SavepointRequest request =
        new SavepointRequest(id, directory.map(StatePath::absolute), type.format());
    try (RestClusterClient client = cluster.cluster(console)) {
      console.err().println("Taking a savepoint of job " + id);
      String path =
          new OperationWait(console, client.checkpoints())
              .result(client.checkpoints().savepoint(request), id);
      console.out().println("Savepoint completed. Path: " + path);
      return ExitCodes.OK;
    }
  }
}
