package io.millrace.rest;

/** A request that is answered with an error status and one sentence. */
final class RestError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  RestError(int status, String sentence) {
    this(status, sentence, null);
  }

  RestError(int status, String sentence, Throwable cause) {
    super(sentence, cause);
    this.status = status;
  }

  int status() {
    return status;
  }
}
