package io.millrace.dataplane.state;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Wrong uses of keyed state, which are the same for all backends. */
public final class StateErrors {
  private StateErrors() {}

  public static MillraceException twoTimesToLive(String name) {
    return new MillraceException(
        ErrorKind.USER,
        "State '"
            + name
            + "' is asked for with two times to live. Give each state of a function a name of its"
            + " own.");
  }

  public static MillraceException afterOpen(String name) {
    return new MillraceException(
        ErrorKind.USER,
        "State '"
            + name
            + "' is asked for after open. A function asks for all its states in open.");
  }

  public static MillraceException otherKind(String name, StateKind asked, StateKind known) {
    return new MillraceException(
        ErrorKind.USER,
        "State '"
            + name
            + "' is asked for by a "
            + asked.descriptor()
            + " and is that of a "
            + known.descriptor()
            + " in this function or in the checkpoint that it starts with. Give each state of a"
            + " function a name of its own.");
  }

  public static MillraceException noCurrentKey() {
    return new MillraceException(
        ErrorKind.USER,
        "There is no current key: keyed state and timers are used only while a function is called"
            + " for a record, a timer or a window.");
  }
}
