package io.millrace.client;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Nobody answers for the cluster at the moment; that may change. */
public final class UnreachableException extends MillraceException {
  private static final long serialVersionUID = 1L;

  public UnreachableException(String message, Throwable cause) {
    super(ErrorKind.EXTERNAL, message, cause);
  }
}
