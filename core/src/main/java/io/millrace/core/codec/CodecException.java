package io.millrace.core.codec;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Bytes that this codec cannot decode: damaged, truncated, hostile, or of another version. */
public final class CodecException extends MillraceException {
  private static final long serialVersionUID = 1L;

  private final int position;

  CodecException(String what, int position, Throwable cause) {
    super(ErrorKind.EXTERNAL, "Cannot decode byte " + position + ": " + what + ".", cause);
    this.position = position;
  }

  /** The number of bytes that were read before the failure. */
  public int position() {
    return position;
  }
}
