package io.millrace.api.state;

import io.millrace.api.function.AggregateFunction;
import java.util.Objects;

/** Names an accumulator a key into which everything added is folded. */
public record AggregatingStateDescriptor<T, A, R>(String name, AggregateFunction<T, A, R> function)
    implements StateDescriptor {
  public AggregatingStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(function, "function");
  }
}
