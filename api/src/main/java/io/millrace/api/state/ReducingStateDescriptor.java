package io.millrace.api.state;

import io.millrace.api.function.ReduceFunction;
import java.util.Objects;

/**
 * Describes a {@link ReducingState}.
 *
 * <pre>{@code
 * ReducingStateDescriptor<Long> total = new ReducingStateDescriptor<>("total", Long::sum);
 * }</pre>
 */
public record ReducingStateDescriptor<T>(String name, ReduceFunction<T> function, StateTtl ttl)
    implements StateDescriptor {
  public ReducingStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(ttl, "ttl");
  }

  public ReducingStateDescriptor(String name, ReduceFunction<T> function) {
    this(name, function, StateTtl.NONE);
  }

  /** The same state with a time to live. */
  public ReducingStateDescriptor<T> withTtl(StateTtl ttl) {
    return new ReducingStateDescriptor<>(name, function, ttl);
  }
}
