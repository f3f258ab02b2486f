package io.millrace.cluster;

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

  /** Whether the application has ended, rather than only this attempt to run it. */
  boolean isOfApplication() {
    return this == SUCCEEDED || this == FAILED || this == CANCELED;
  }

  public int code() {
    return code;
  }
}
