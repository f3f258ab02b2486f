package io.millrace.api.state;

import io.millrace.api.function.AggregateFunction;
import java.util.Objects;

/** Describes an {@link AggregatingState}. */
public record AggregatingStateDescriptor<T, A, R>(String name, AggregateFunction<T, A, R> function)
    implements StateDescriptor {
  public AggregatingStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(function, "function");
  }
}
