package io.millrace.soak;

/** The run cannot go on, or its result is wrong. */
public final class SoakException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SoakException(String message) {
    super(message);
  }

  SoakException(String message, Throwable cause) {
    super(message, cause);
  }
}
