package io.millrace.control.ha;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Somebody else, or a later leader, has written in between. */
public final class StaleWriteException extends MillraceException {
  private static final long serialVersionUID = 1L;

  private final boolean laterTerm;

  public StaleWriteException(String message) {
    this(message, false);
  }

  private StaleWriteException(String message, boolean laterTerm) {
    super(ErrorKind.EXTERNAL, message);
    this.laterTerm = laterTerm;
  }

  /** A leader of a later term has written. */
  static StaleWriteException ofLaterTerm(String message) {
    return new StaleWriteException(message, true);
  }

  /** Whether a leader of a later term has written. */
  public boolean isOfLaterTerm() {
    return laterTerm;
  }
}
