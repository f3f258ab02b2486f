package io.millrace.core.error;

/**
 * A {@link Failure} of another thread or process as an exception. Its own stack trace shows the
 * waiting code. Its cause is the original exception, if the failure has a stack trace.
 */
public final class FailureException extends MillraceException {
  private static final long serialVersionUID = 1L;

  private final transient Failure failure;

  public FailureException(Failure failure) {
    super(failure.kind(), failure.message(), failure.cause().orElse(null));
    this.failure = failure;
  }

  public Failure failure() {
    return failure;
  }
}
