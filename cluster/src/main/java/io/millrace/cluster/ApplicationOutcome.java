package io.millrace.cluster;

import io.millrace.core.error.Failure;
import io.millrace.protocol.JobResult;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The exit code of an application, and the reason for it. */
record ApplicationOutcome(ExitCode code, String reason) {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationOutcome.class);

  static final ApplicationOutcome SHUT_DOWN =
      new ApplicationOutcome(ExitCode.CANCELED, "A user shut the cluster down.");

  static final ApplicationOutcome SUCCEEDED_WITH_OWN_CODE =
      new ApplicationOutcome(
          ExitCode.SUCCEEDED, "The program called System.exit after its jobs had succeeded.");

  ApplicationOutcome {
    Objects.requireNonNull(code);
    Objects.requireNonNull(reason);
  }

  /**
   * The outcome of an application with one job.
   *
   * @param name the name of the job, with its id
   */
  static ApplicationOutcome of(String name, JobResult result) {
    return switch (result.status()) {
      case FINISHED -> new ApplicationOutcome(ExitCode.SUCCEEDED, name + " finished.");
      case CANCELED -> new ApplicationOutcome(ExitCode.CANCELED, name + " was cancelled.");
      default ->
          new ApplicationOutcome(
              ExitCode.FAILED,
              name + " failed: " + result.failure().map(Failure::message).orElse(""));
    };
  }

  /** Ends the process with this outcome, unless the process is already ending. */
  void end(ServerProcess process) {
    if (process.end(code, reason)) {
      log();
    }
  }

  void log() {
    if (code == ExitCode.SUCCEEDED) {
      LOG.info("The application has {}: {}", code, reason);
    } else {
      LOG.error("The application has ended as {}: {}", code, reason);
      System.err.println("The application has ended as " + code + ": " + reason);
    }
  }
}
