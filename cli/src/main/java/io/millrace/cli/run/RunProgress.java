package io.millrace.cli.run;

import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.SingleLine;
import io.millrace.client.JobListener;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobOverview;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Prints the events of a program's jobs for the user. */
final class RunProgress implements JobListener {
  private final Console console;
  private final boolean attached;
  private final WaitingReport waiting = new WaitingReport();
  private Optional<Path> jobIdFile = Optional.empty();

  /**
   * @param attached whether the command waits for the jobs
   */
  RunProgress(Console console, boolean attached) {
    this.console = console;
    this.attached = attached;
  }

  /**
   * @param jobIdFile receives the ids of the jobs, for callers that do not parse the output of the
   *     program
   */
  RunProgress(Console console, boolean attached, Path jobIdFile) {
    this(console, attached);
    this.jobIdFile = Optional.of(jobIdFile);
  }

  @Override
  public void submitted(JobId job, String name) {
    jobIdFile.ifPresent(file -> add(job, file));
    // The id is the result of a detached run.
    (attached ? console.err() : console.out()).println("Job has been submitted with JobID " + job);
  }

  private static void add(JobId job, Path file) {
    try {
      Files.writeString(file, job + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Job " + job + " runs, but its id cannot be written to " + file + ": " + e.getMessage(),
          e);
    }
  }

  @Override
  public void changed(JobOverview job) {
    Optional<String> line;
    synchronized (waiting) {
      line = waiting.line(job);
    }
    line.ifPresent(console.err()::println);
  }

  @Override
  public void unreachable(String address, Duration timeout) {
    console
        .err()
        .println(
            "The JobManager at "
                + address
                + " does not answer. Waiting up to "
                + timeout.toSeconds()
                + " s until it answers again.");
  }

  @Override
  public void reachable(String address) {
    console.err().println("The JobManager at " + address + " answers again");
  }

  /** Prints how a job ended; returns the exit code for it. */
  int report(JobExecutionResult result, boolean verbose) {
    String job = "Job '" + SingleLine.of(result.name()) + "' (" + result.id() + ")";
    if (result.status() == JobStatus.FINISHED) {
      console
          .err()
          .printf(
              Locale.ROOT, "%s finished in %.2f s%n", job, result.runtime().toMillis() / 1000.0);
    } else if (result.failure().isPresent()) {
      Failure failure = result.failure().get();
      console.err().println("millrace: " + job + " failed: " + SingleLine.of(failure.message()));
      if (verbose) {
        console.err().println(failure.stack());
      } else if (!failure.stack().isEmpty()) {
        console
            .err()
            .println(
                failure.userFrame().map(frame -> "It happened in " + frame + "; ").orElse("")
                    + CommonMixin.VERBOSE
                    + " shows the whole stack trace.");
      }
    } else {
      console.err().println("millrace: " + job + " was cancelled.");
    }
    return code(result);
  }

  static int code(JobExecutionResult result) {
    return switch (result.status()) {
      case FINISHED -> ExitCodes.OK;
      case CANCELED -> ExitCodes.JOB_CANCELED;
      default -> ExitCodes.JOB_FAILED;
    };
  }
}
