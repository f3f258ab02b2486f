package io.millrace.protocol.reason;

import io.millrace.core.error.Failure;
import java.util.Objects;

/**
 * Words of code that takes no part in decisions: an exception, a file system, an answer of REST.
 * Nothing matches on them.
 */
public record ErrorReason(String message) implements Reason {
  public ErrorReason {
    Objects.requireNonNull(message);
  }

  public static ErrorReason of(Throwable thrown) {
    return new ErrorReason(Failure.sentence(Failure.unwrap(thrown)));
  }
}
