package io.millrace.core.error;

/** A {@link Failure} that happened elsewhere, thrown here. Its own stack trace means nothing. */
public final class FailureException extends MillraceException {
  private static final long serialVersionUID = 1L;

  private final transient Failure failure;

  public FailureException(Failure failure) {
    super(failure.kind(), failure.message());
    this.failure = failure;
  }

  public Failure failure() {
    return failure;
  }
}
