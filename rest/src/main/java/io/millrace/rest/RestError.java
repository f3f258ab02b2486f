package io.millrace.rest;

/** Ends a request with an error status and a message. */
final class RestError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  RestError(int status, String message) {
    this(status, message, null);
  }

  RestError(int status, String message, Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  int status() {
    return status;
  }
}
