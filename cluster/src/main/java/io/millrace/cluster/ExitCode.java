package io.millrace.cluster;

import io.millrace.protocol.reason.ApplicationStatus;
import java.util.Optional;

/** How a process ended, for whoever started it. */
public enum ExitCode {
  SUCCEEDED(0),
  START_UP_FAILURE(1),
  FATAL(2),
  FAILED(3),
  CANCELED(4),
  UNKNOWN(5);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  /** Whether the application has ended for good, so that nothing is recovered from it. */
  boolean isOfApplication() {
    return this == SUCCEEDED || this == FAILED || this == CANCELED;
  }

  /** The outcome of the application, where this process does not leave it to another attempt. */
  Optional<ApplicationStatus> status() {
    return isOfApplication() || this == UNKNOWN
        ? Optional.of(ApplicationStatus.valueOf(name()))
        : Optional.empty();
  }

  public int code() {
    return code;
  }
}
