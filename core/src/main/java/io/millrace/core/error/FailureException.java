package io.millrace.core.error;

/**
 * A {@link Failure} that happened elsewhere, thrown here. Its own stack trace says where somebody
 * waited for it; its cause is what happened, as far as the failure has a stack trace.
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
