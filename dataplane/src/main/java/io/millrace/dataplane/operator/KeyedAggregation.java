package io.millrace.dataplane.operator;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;

/** A keyed aggregation, whose function may have keyed state besides. */
interface KeyedAggregation {
  /** Sets the keyed state of the function. */
  void functionState(KeyedStateBackend state);

  static MillraceException otherState(StateInfo found, String now, String operator) {
    return new MillraceException(
        ErrorKind.USER,
        "the checkpoint has state '"
            + found.name()
            + "' of operator '"
            + operator
            + "', which has state '"
            + now
            + "' now. Give the operator another uid if its function is another one");
  }
}
