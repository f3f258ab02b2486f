package io.millrace.api.state;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Checks names of states. */
final class StateNameChecks {
  private StateNameChecks() {}

  static void check(String name) {
    if (name == null || name.isBlank()) {
      throw new MillraceException(
          ErrorKind.USER, "The name of a state is empty. Give each state of a function a name.");
    }
  }
}
