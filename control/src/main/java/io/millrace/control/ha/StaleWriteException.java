package io.millrace.control.ha;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Somebody else, or a later leader, has written in between. */
public final class StaleWriteException extends MillraceException {
  private static final long serialVersionUID = 1L;

  public StaleWriteException(String message) {
    super(ErrorKind.EXTERNAL, message);
  }
}
