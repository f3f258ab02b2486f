package io.millrace.task.checkpoint;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;

/**
 * A task takes no part in a checkpoint because it ends. The checkpoint cannot complete, but nothing
 * is wrong with the job or its storage: it is not counted as a failed checkpoint.
 */
public final class TaskEndingException extends MillraceException {
  private static final long serialVersionUID = 1L;

  private TaskEndingException(String message) {
    super(ErrorKind.EXTERNAL, message);
  }

  /** What a task reports that ends. */
  public static Failure failure(String message) {
    return Failure.briefly(new TaskEndingException(message), ErrorKind.EXTERNAL);
  }

  /** Whether the end of a task caused the failure. */
  public static boolean caused(Failure failure) {
    return failure.type().equals(TaskEndingException.class.getName());
  }
}
