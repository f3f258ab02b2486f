package io.millrace.cluster;

import io.millrace.protocol.reason.ApplicationStatus;
import java.util.Optional;

/** The exit codes of server processes. */
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

  /** Whether the application has ended, so that its recovery data is not needed any more. */
  boolean isOfApplication() {
    return this == SUCCEEDED || this == FAILED || this == CANCELED;
  }

  /** The status of the application; empty if another attempt may continue it. */
  Optional<ApplicationStatus> status() {
    return isOfApplication() || this == UNKNOWN
        ? Optional.of(ApplicationStatus.valueOf(name()))
        : Optional.empty();
  }

  public int code() {
    return code;
  }
}
