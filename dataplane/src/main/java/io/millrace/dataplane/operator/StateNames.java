package io.millrace.dataplane.operator;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.HashMap;
import java.util.Map;

/** The names of the states that the functions of an operator ask for. */
public final class StateNames {
  /** The state behind a name. */
  private record Use(Object function, boolean keyed) {}

  private final Map<String, Use> uses = new HashMap<>();

  /** Refuses a name that another function, or another state of the function, has. */
  void use(String name, Object function, boolean keyed, String operator) {
    Use before = uses.putIfAbsent(name, new Use(function, keyed));
    if (before == null || before.function == function && before.keyed == keyed) {
      return;
    }
    throw new MillraceException(
        ErrorKind.USER,
        "State '"
            + name
            + "' of operator '"
            + operator
            + "' is asked for "
            + (before.function == function
                ? "as keyed state and as operator state"
                : "by two functions of the operator")
            + ". Give each state a name of its own.");
  }
}
