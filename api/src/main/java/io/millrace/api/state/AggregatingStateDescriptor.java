package io.millrace.api.state;

import io.millrace.api.function.AggregateFunction;
import java.util.Objects;

/** Describes an {@link AggregatingState}. */
public record AggregatingStateDescriptor<T, A, R>(
    String name, AggregateFunction<T, A, R> function, StateTtl ttl) implements StateDescriptor {
  public AggregatingStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(ttl, "ttl");
  }

  public AggregatingStateDescriptor(String name, AggregateFunction<T, A, R> function) {
    this(name, function, StateTtl.NONE);
  }

  /** The same state with a time to live. */
  public AggregatingStateDescriptor<T, A, R> withTtl(StateTtl ttl) {
    return new AggregatingStateDescriptor<>(name, function, ttl);
  }
}
