package io.millrace.cli;

import io.millrace.client.RestClusterClient;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Cancels a job. */
@Command(
    name = "cancel",
    description = "Cancels a job and waits until it has ended.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace cancel 5e20cb6b0f357591171dfcca2eea09de"})
final class CancelCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Console console;

  @Parameters(paramLabel = "JOB", description = "Id of the job, as `list` shows it.")
  private String job;

  @Mixin private ClusterOptions cluster;

  CancelCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    JobId id = parse();
    try (RestClusterClient client = cluster.cluster(console)) {
      switch (client.cancel(id)) {
        case ACCEPTED -> console.err().println("Cancelling job " + id);
        case NOT_FOUND ->
            throw new MillraceException(
                ErrorKind.USER,
                "The cluster at "
                    + client.address()
                    + " knows no job "
                    + id
                    + ". `millrace list -a` shows those it knows.");
        case ENDED ->
            throw new MillraceException(
                ErrorKind.USER,
                "Job "
                    + id
                    + " has ended already"
                    + client.job(id).map(known -> " (" + known.status() + ")").orElse("")
                    + ".");
      }
      Optional<JobResult> result = client.awaitResult(id, PATIENCE);
      if (result.isEmpty()) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "Job "
                + id
                + " is being cancelled, but has not ended after "
                + PATIENCE.toSeconds()
                + " s: a task does not react. `millrace list` shows its state.");
      }
      console.out().println("Job " + id + " is " + result.get().status());
      return ExitCodes.OK;
    }
  }

  private JobId parse() {
    try {
      return JobId.parse(job);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "'" + job + "' is not a job id: it has 32 hex digits. `millrace list` shows them.",
          e);
    }
  }
}
