package io.millrace.core.error;

import java.util.Objects;

/** An error whose message says what happened, why, and what to do. */
public class MillraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorKind kind;

  public MillraceException(ErrorKind kind, String message) {
    this(kind, message, null);
  }

  public MillraceException(ErrorKind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = Objects.requireNonNull(kind);
  }

  public final ErrorKind kind() {
    return kind;
  }
}
