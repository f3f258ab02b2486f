package io.millrace.dataplane;

/**
 * Leaves a user's call because the task is to end. An error, so that user code which catches its
 * own exceptions lets it pass.
 */
final class TaskStoppedError extends Error {
  private static final long serialVersionUID = 1L;

  TaskStoppedError() {
    super("The task is to end", null, false, false);
  }
}
