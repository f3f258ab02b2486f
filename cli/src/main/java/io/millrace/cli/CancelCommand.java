package io.millrace.cli;

import io.millrace.client.RestClusterClient;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Cancels a job. */
@Command(
    name = "cancel",
    description = "Cancels a job and waits until it has ended.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace cancel 5e20cb6b0f357591171dfcca2eea09de"})
final class CancelCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Console console;

  @Mixin private JobArgument job;

  @Mixin private ClusterOptions cluster;

  CancelCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    JobId id = job.id();
    try (RestClusterClient client = cluster.cluster(console)) {
      switch (client.cancel(id)) {
        case ACCEPTED -> console.err().println("Cancelling job " + id);
        case NOT_FOUND -> throw JobArgument.unknown(id, client);
        case ENDED ->
            throw new MillraceException(
                ErrorKind.USER,
                "Job "
                    + id
                    + " has ended already"
                    + client.job(id).map(known -> " (" + known.status() + ")").orElse("")
                    + ".");
      }
      Optional<JobResult> result;
      try {
        result = client.awaitResult(id, PATIENCE);
      } catch (UnreachableException e) {
        // An accepted cancellation is stored: whoever leads next carries it out.
        console
            .out()
            .println(
                "Job "
                    + id
                    + " is being cancelled. Its cluster does not answer any more, as one that ends"
                    + " with its job.");
        return ExitCodes.OK;
      }
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
}
