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
 * Runs when the process ends before an attached command: after a signal, or because the program
 * called {@code System.exit}, whose exit code does not depend on the jobs.
 */
final class InterruptHandler implements AutoCloseable {
  private static final Duration MAX_WAIT = Duration.ofSeconds(3);

  private final Console console;
  private final ClusterClient cluster;
  private final PackagedProgram program;
  private final ClusterJobExecutor executor;
  private final boolean cancelOnExit;
  private final Thread hook = new Thread(this::processEnds, "interrupt-handler");

  /**
   * @param cancelOnExit whether jobs on a cluster that outlives this process are cancelled
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

  private void processEnds() {
    int code = ProgramExit.isUnderWay() ? exitCode() : ExitCodes.OK;
    if (cluster instanceof LazyClusterClient embedded) {
      embedded.closeWithinBound();
    } else {
      executor.jobs().stream()
          .filter(job -> job.ended().isEmpty())
          .forEach(cancelOnExit ? this::cancel : this::printCancelCommand);
    }
    if (code != ExitCodes.OK) {
      // halt skips all other clean-up.
      program.close();
      console.err().flush();
      Runtime.getRuntime().halt(code);
    }
  }

  /** Handles jobs that have not ended when main has thrown. */
  void leaveOpenJobs() {
    if (!(cluster instanceof LazyClusterClient)) {
      executor.jobs().stream()
          .filter(job -> status(job).isEmpty())
          .forEach(cancelOnExit ? this::cancel : this::printCancelCommand);
    }
  }

  private void printCancelCommand(SubmittedJob job) {
    console
        .err()
        .println("Job " + job.id() + " continues. End it with: " + cluster.cancelCommand(job.id()));
  }

  private void cancel(SubmittedJob job) {
    try {
      cluster.abandon(job.id());
      console
          .err()
          .println(
              "Job "
                  + job.id()
                  + " was cancelled because "
                  + DeploymentOptions.SHUTDOWN_IF_ATTACHED.key()
                  + " is set.");
    } catch (MillraceException e) {
      console.err().println("millrace: " + SingleLine.of(e.getMessage()));
      printCancelCommand(job);
    }
  }

  /**
   * The exit code for the states of the jobs; 0 if all have succeeded and the exit code of the
   * program is used.
   */
  private int exitCode() {
    // One copy, because another thread of the program may submit jobs.
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

  /** The final state of a job; empty if it has not ended or the cluster does not answer in time. */
  private Optional<JobStatus> status(SubmittedJob job) {
    Optional<JobStatus> known = job.ended().map(JobExecutionResult::status);
    if (known.isPresent()) {
      return known;
    }
    return CompletableFuture.supplyAsync(() -> cluster.awaitResult(job.id(), Duration.ZERO))
        .completeOnTimeout(Optional.empty(), MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(failure -> Optional.empty())
        .join()
        .map(result -> result.status());
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook runs already.
      return;
    }
  }
}
