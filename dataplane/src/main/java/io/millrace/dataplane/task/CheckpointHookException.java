package io.millrace.dataplane.task;

/** An operator failed in a call about a checkpoint. */
final class CheckpointHookException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String operator;

  CheckpointHookException(String operator, Throwable cause) {
    super(cause);
    this.operator = operator;
  }

  /** The name of the operator. */
  String operator() {
    return operator;
  }
}
