package io.millrace.control.ha;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Another writer, or a leader of a later term, has changed the value. */
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

  /** A leader of a later term has changed the value. */
  public static StaleWriteException ofLaterTerm(String message) {
    return new StaleWriteException(message, true);
  }

  /** Whether a leader of a later term has changed the value. */
  public boolean isOfLaterTerm() {
    return laterTerm;
  }
}
