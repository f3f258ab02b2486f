package io.millrace.cluster;

import io.millrace.core.error.Failure;
import io.millrace.protocol.JobResult;
import java.util.Objects;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The exit code of an application, and the reason for it. */
record ApplicationOutcome(ExitCode code, String reason) {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationOutcome.class);

  static final ApplicationOutcome SHUT_DOWN =
      new ApplicationOutcome(ExitCode.CANCELED, "A user shut the cluster down.");

  ApplicationOutcome {
    Objects.requireNonNull(code);
    Objects.requireNonNull(reason);
  }

  /**
   * The outcome of an application whose program ends the process after its jobs have succeeded.
   *
   * @param status the argument of {@code System.exit}; empty if it is not known
   */
  static ApplicationOutcome ofProgramExit(OptionalInt status) {
    if (status.isEmpty()) {
      return new ApplicationOutcome(
          ExitCode.UNKNOWN,
          "The program called System.exit after its jobs had succeeded. Its exit code cannot be"
              + " read, because the JVM runs without "
              + ShutdownHooks.OPTION
              + ".");
    }
    return new ApplicationOutcome(
        status.getAsInt() == 0 ? ExitCode.SUCCEEDED : ExitCode.FAILED,
        "The program called System.exit(" + status.getAsInt() + ") after its jobs had succeeded.");
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
