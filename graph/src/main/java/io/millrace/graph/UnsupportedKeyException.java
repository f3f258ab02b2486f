package io.millrace.graph;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** A key, or a value in a key, has no canonical encoding. */
final class UnsupportedKeyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Class<?> type;
  private final String reason;
  private final String path;

  UnsupportedKeyException(Class<?> type, String reason) {
    this(type, reason, "");
  }

  private UnsupportedKeyException(Class<?> type, String reason, String path) {
    super(reason);
    this.type = type;
    this.reason = reason;
    this.path = path;
  }

  /** The same exception for a field of the key. */
  UnsupportedKeyException in(String part) {
    return new UnsupportedKeyException(type, reason, path.isEmpty() ? part : part + "." + path);
  }

  /** The exception for the user. */
  MillraceException toUserError() {
    return toUserError("");
  }

  /** The exception for the user, after a sentence about the place. */
  MillraceException toUserError(String where) {
    String name = type.isHidden() ? "a lambda" : type.getTypeName();
    return new MillraceException(
        ErrorKind.USER,
        where
            + (path.isEmpty()
                ? "A key cannot be of type " + name + ": " + reason
                : "A key cannot hold a "
                    + name
                    + ", as this one does in '"
                    + path
                    + "': "
                    + reason),
        this);
  }
}
