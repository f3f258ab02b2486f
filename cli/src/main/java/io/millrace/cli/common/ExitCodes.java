package io.millrace.cli.common;

/** The exit codes of commands; 0 means success. */
public final class ExitCodes {
  public static final int OK = 0;
  public static final int ERROR = 1;
  public static final int USAGE = 2;
  public static final int JOB_FAILED = 3;
  public static final int JOB_CANCELED = 4;

  /** How the jobs ended is not known. */
  public static final int UNKNOWN = 5;

  private ExitCodes() {}
}
