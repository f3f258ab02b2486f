package io.millrace.api.state;

import java.util.Objects;

/**
 * Describes a {@link ValueState}.
 *
 * <pre>{@code
 * ValueStateDescriptor<Long> last =
 *     new ValueStateDescriptor<>("last", StateTtl.afterReadOrWrite(Duration.ofDays(7)));
 * }</pre>
 */
@SuppressWarnings("UnusedTypeParameter") // It types the handles.
public record ValueStateDescriptor<T>(String name, StateTtl ttl) implements StateDescriptor {
  public ValueStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(ttl, "ttl");
  }

  public ValueStateDescriptor(String name) {
    this(name, StateTtl.NONE);
  }

  /** The same state with a time to live. */
  public ValueStateDescriptor<T> withTtl(StateTtl ttl) {
    return new ValueStateDescriptor<>(name, ttl);
  }
}
