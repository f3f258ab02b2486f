package io.millrace.cli.jobs;

import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.deployment.ClusterMixin;
import io.millrace.client.RestClusterClient;
import io.millrace.client.UnreachableException;
import io.millrace.core.config.Durations;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.LongSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Cancels a job. */
@Command(
    name = "cancel",
    description = "Cancels a job and waits until it has ended.",
    sortOptions = false,
    footer = {"", "Example:", "  millrace cancel 5e20cb6b0f357591171dfcca2eea09de"})
public final class CancelCommand implements Callable<Integer>, StyledCommand {
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private final Console console;

  @Mixin private JobIdMixin job;

  @Mixin private ClusterMixin cluster;

  public CancelCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    JobId id = job.id();
    try (RestClusterClient client = cluster.cluster(console)) {
      switch (client.cancel(id)) {
        case ACCEPTED -> console.err().println("Cancelling job " + id);
        case NOT_FOUND -> throw JobIdMixin.unknown(id, client);
        case ENDED ->
            throw new MillraceException(
                ErrorKind.USER,
                "Job "
                    + id
                    + " has ended already"
                    + client.job(id).map(known -> " (" + known.status() + ")").orElse("")
                    + ".");
      }
      Wait wait;
      try {
        wait = Wait.forEnd(left -> client.awaitResult(id, left), MAX_WAIT, System::nanoTime);
      } catch (UnreachableException e) {
        // An accepted cancellation is stored, so the next leader executes it.
        console
            .out()
            .println(
                "Job "
                    + id
                    + " is being cancelled. Its cluster no longer answers, which is normal for a"
                    + " cluster that ends with its job.");
        return ExitCodes.OK;
      }
      if (wait.result().isEmpty()) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "Job "
                + id
                + " is being cancelled, but has not ended after "
                + Durations.readable(wait.time())
                + " because a task does not react. `millrace list` shows its state.");
      }
      console.out().println("Job " + id + " is " + wait.result().get().status());
      return ExitCodes.OK;
    }
  }

  /**
   * @param result empty if the job has not ended in time
   * @param time the duration of the wait
   */
  record Wait(Optional<JobResult> result, Duration time) {
    /**
     * Repeats the request until the time is over, because a cluster may answer before the requested
     * wait is over although the job has not ended.
     *
     * @param ask requests the result; its argument is the longest wait
     */
    static Wait forEnd(
        Function<Duration, Optional<JobResult>> ask, Duration maxWait, LongSupplier nanos) {
      long started = nanos.getAsLong();
      Duration waited = Duration.ZERO;
      while (true) {
        Optional<JobResult> result = ask.apply(maxWait.minus(waited));
        waited = Duration.ofNanos(nanos.getAsLong() - started);
        if (result.isPresent() || waited.compareTo(maxWait) >= 0) {
          return new Wait(result, waited);
        }
      }
    }
  }
}
