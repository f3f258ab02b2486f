package io.millrace.api.state;

import io.millrace.api.function.ReduceFunction;
import java.util.Objects;

/** Describes a {@link ReducingState}. */
public record ReducingStateDescriptor<T>(String name, ReduceFunction<T> function)
    implements StateDescriptor {
  public ReducingStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(function, "function");
  }
}
