package io.millrace.graph;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** A key, or what a key holds, has no canonical form. */
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

  /** The same one, found in a part of what the key holds. */
  UnsupportedKeyException in(String part) {
    return new UnsupportedKeyException(type, reason, path.isEmpty() ? part : part + "." + path);
  }

  /** What the user hears. */
  MillraceException told() {
    return told("");
  }

  /** The same behind a sentence that says where. */
  MillraceException told(String where) {
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
