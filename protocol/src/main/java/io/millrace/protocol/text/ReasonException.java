package io.millrace.protocol.text;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.reason.Reason;

/** An exception with a reason: code matches on the reason, people read its text. */
public final class ReasonException extends MillraceException {
  private static final long serialVersionUID = 1L;

  private final transient Reason reason;

  public ReasonException(ErrorKind kind, Reason reason) {
    super(kind, ReasonText.of(reason));
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
