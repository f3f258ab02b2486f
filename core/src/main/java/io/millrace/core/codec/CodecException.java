package io.millrace.core.codec;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Bytes that are not what this codec writes: damaged, cut, hostile, or of another version. */
public final class CodecException extends MillraceException {
  private static final long serialVersionUID = 1L;

  private final int position;

  CodecException(String what, int position, Throwable cause) {
    super(ErrorKind.EXTERNAL, "Cannot decode byte " + position + ": " + what + ".", cause);
    this.position = position;
  }

  /** How many bytes of the message had been read when it was given up. */
  public int position() {
    return position;
  }
}
