package io.millrace.dataplane.operator;

/** Carries a failure of user code, already recorded in the task, out of the calls it is in. */
public final class OperatorFailureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OperatorFailureException(String message, Throwable cause) {
    super(message, cause, false, false);
  }
}
