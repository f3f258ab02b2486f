package io.millrace.client;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** The cluster does not answer at the moment. A later attempt may succeed. */
public final class UnreachableException extends MillraceException {
  private static final long serialVersionUID = 1L;

  public UnreachableException(String message, Throwable cause) {
    super(ErrorKind.EXTERNAL, message, cause);
  }
}
