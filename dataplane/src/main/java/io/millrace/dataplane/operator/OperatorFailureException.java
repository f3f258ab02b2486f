package io.millrace.dataplane.operator;

/** Unwinds the stack after a failure of user code that the task has recorded already. */
public final class OperatorFailureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OperatorFailureException(String message, Throwable cause) {
    super(message, cause, false, false);
  }
}
