package io.millrace.cli;

/** What a command tells its caller; 0 means that what was asked for has happened. */
final class ExitCodes {
  static final int OK = 0;
  static final int ERROR = 1;
  static final int USAGE = 2;
  static final int JOB_FAILED = 3;
  static final int JOB_CANCELED = 4;

  /** How the jobs ended is not known. */
  static final int UNKNOWN = 5;

  private ExitCodes() {}
}
