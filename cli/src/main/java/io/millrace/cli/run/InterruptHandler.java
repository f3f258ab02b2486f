package io.millrace.cli.run;

import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.client.ClusterClient;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.PackagedProgram;
import io.millrace.client.ProgramExit;
import io.millrace.client.SubmittedJob;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * What is left to do when the process ends while an attached command still runs: by a signal, or
 * because the program called {@code System.exit}, whose code says nothing about the jobs.
 */
final class InterruptHandler implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Console console;
  private final ClusterClient cluster;
  private final PackagedProgram program;
  private final ClusterJobExecutor executor;
  private final boolean cancelOnExit;
  private final Thread hook = new Thread(this::ending, "interrupt-handler");

  /**
   * @param cancelOnExit whether jobs of a cluster that stays end with this process
   */
  InterruptHandler(
      Console console,
      ClusterClient cluster,
      PackagedProgram program,
      ClusterJobExecutor executor,
      boolean cancelOnExit) {
    this.console = console;
    this.cluster = cluster;
    this.program = program;
    this.executor = executor;
    this.cancelOnExit = cancelOnExit;
  }

  void watch() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void ending() {
    int code = ProgramExit.isUnderWay() ? verdict() : ExitCodes.OK;
    if (cluster instanceof LazyClusterClient embedded) {
      embedded.closeWithinBound();
    } else {
      executor.jobs().stream()
          .filter(job -> job.ended().isEmpty())
          .forEach(cancelOnExit ? this::end : this::tellHowToEnd);
    }
    if (code != ExitCodes.OK) {
      // Nothing else gets to tidy up after this.
      program.close();
      console.err().flush();
      Runtime.getRuntime().halt(code);
    }
  }

  /** For a command that ends although jobs of its program are open, because main has thrown. */
  void leaveOpenJobs() {
    if (!(cluster instanceof LazyClusterClient)) {
      executor.jobs().stream()
          .filter(job -> status(job).isEmpty())
          .forEach(cancelOnExit ? this::end : this::tellHowToEnd);
    }
  }

  private void tellHowToEnd(SubmittedJob job) {
    console
        .err()
        .println("Job " + job.id() + " runs on. End it with: " + cluster.cancelCommand(job.id()));
  }

  private void end(SubmittedJob job) {
    try {
      cluster.abandon(job.id());
      console
          .err()
          .println(
              "Job "
                  + job.id()
                  + " was cancelled, because "
                  + DeploymentOptions.SHUTDOWN_IF_ATTACHED.key()
                  + " is set.");
    } catch (MillraceException e) {
      console.err().println("millrace: " + SingleLine.of(e.getMessage()));
      tellHowToEnd(job);
    }
  }

  /** The code that the jobs call for; 0 where they have succeeded and the program's may stand. */
  private int verdict() {
    // Taken once: another thread of the program may be submitting.
    List<SubmittedJob> jobs = executor.jobs();
    if (jobs.isEmpty()) {
      console.err().println("millrace: The program called System.exit without running a job.");
      return ExitCodes.ERROR;
    }
    for (SubmittedJob job : jobs) {
      Optional<JobStatus> status = status(job);
      int code = status.map(known -> code(job, known)).orElse(ExitCodes.UNKNOWN);
      if (code != ExitCodes.OK) {
        console
            .err()
            .println(
                "millrace: The program called System.exit "
                    + (status.isPresent() ? "although" : "before")
                    + " job '"
                    + SingleLine.of(job.name())
                    + "' ("
                    + job.id()
                    + ") "
                    + status.map(known -> "is " + known).orElse("had ended")
                    + ".");
        return code;
      }
    }
    return ExitCodes.OK;
  }

  private static int code(SubmittedJob job, JobStatus status) {
    return switch (status) {
      case FINISHED -> ExitCodes.OK;
      case CANCELED -> job.cancelledByProgram() ? ExitCodes.OK : ExitCodes.JOB_CANCELED;
      default -> ExitCodes.JOB_FAILED;
    };
  }

  /** How a job has ended; nothing where it has not, or where nobody says so soon. */
  private Optional<JobStatus> status(SubmittedJob job) {
    Optional<JobStatus> learned = job.ended().map(JobExecutionResult::status);
    if (learned.isPresent()) {
      return learned;
    }
    return CompletableFuture.supplyAsync(() -> cluster.awaitResult(job.id(), Duration.ZERO))
        .completeOnTimeout(Optional.empty(), PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(failure -> Optional.empty())
        .join()
        .map(result -> result.status());
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook is at it.
      return;
    }
  }
}
