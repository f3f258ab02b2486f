package io.millrace.dataplane.operator;

/**
 * Leaves a user's call because the task is to end. An error, so that user code which catches its
 * own exceptions lets it pass.
 */
public final class TaskStoppedError extends Error {
  private static final long serialVersionUID = 1L;

  public TaskStoppedError() {
    super("The task is to end", null, false, false);
  }
}
