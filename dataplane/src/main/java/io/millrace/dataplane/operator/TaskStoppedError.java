package io.millrace.dataplane.operator;

/**
 * Unwinds a call of user code because the task is stopping. It is an error, so that user code which
 * catches its own exceptions does not catch it.
 */
public final class TaskStoppedError extends Error {
  private static final long serialVersionUID = 1L;

  public TaskStoppedError() {
    super("The task is stopping", null, false, false);
  }
}
