package io.millrace.cli.common;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.function.Supplier;

/** A command line with legal syntax whose options or values are not accepted. */
public final class UsageException extends MillraceException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(ErrorKind.USER, message);
  }

  public UsageException(String message, Throwable cause) {
    super(ErrorKind.USER, message, cause);
  }

  private UsageException(MillraceException refused) {
    super(ErrorKind.USER, refused.getMessage(), refused);
  }

  /** Evaluates a part of the command line; turns user errors into usage errors. */
  public static <T> T reading(Supplier<T> part) {
    try {
      return part.get();
    } catch (MillraceException e) {
      throw e.kind() == ErrorKind.USER ? new UsageException(e) : e;
    }
  }
}
