package io.millrace.protocol.reason;

import io.millrace.core.error.Failure;
import java.util.Objects;

/**
 * The message of code outside of the decisions: an exception, a file system, an answer of REST. No
 * code matches on it.
 */
public record ErrorReason(String message) implements Reason {
  public ErrorReason {
    Objects.requireNonNull(message);
  }

  public static ErrorReason of(Throwable thrown) {
    return new ErrorReason(Failure.sentence(Failure.unwrap(thrown)));
  }
}
