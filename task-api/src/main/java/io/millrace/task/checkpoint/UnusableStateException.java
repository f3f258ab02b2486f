package io.millrace.task.checkpoint;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;

/**
 * State of a checkpoint is damaged, incomplete, or written by classes that do not fit those of the
 * program. Reading it again cannot succeed; another checkpoint may help. Trouble with the storage,
 * which may pass, is another exception.
 */
public final class UnusableStateException extends MillraceException {
  private static final long serialVersionUID = 1L;

  public UnusableStateException(ErrorKind kind, String message) {
    super(kind, message);
  }

  public UnusableStateException(ErrorKind kind, String message, Throwable cause) {
    super(kind, message, cause);
  }

  /** Whether unusable state caused the failure. */
  public static boolean caused(Failure failure) {
    return failure.type().equals(UnusableStateException.class.getName());
  }
}
