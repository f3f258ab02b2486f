package io.millrace.api;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Checks arguments in the call of the program, so that the stack trace shows the line. */
final class ArgumentChecks {
  private static final int MOST = 1 << 15;

  private ArgumentChecks() {}

  static int parallelism(String of, int parallelism) {
    if (parallelism < 1 || parallelism > MOST) {
      throw new MillraceException(
          ErrorKind.USER,
          "Parallelism and max parallelism of "
              + of
              + " lie between 1 and "
              + MOST
              + "; this is "
              + parallelism
              + ".");
    }
    return parallelism;
  }

  static String text(String what, String text) {
    if (text == null || text.isBlank()) {
      throw new MillraceException(ErrorKind.USER, "The " + what + " of an operator is empty.");
    }
    return text;
  }
}
