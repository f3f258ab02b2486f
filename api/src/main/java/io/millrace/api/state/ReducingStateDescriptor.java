package io.millrace.api.state;

import io.millrace.api.function.ReduceFunction;
import java.util.Objects;

/** Names a value a key into which everything added is combined. */
public record ReducingStateDescriptor<T>(String name, ReduceFunction<T> function)
    implements StateDescriptor {
  public ReducingStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(function, "function");
  }
}
