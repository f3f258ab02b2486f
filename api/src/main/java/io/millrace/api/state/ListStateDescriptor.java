package io.millrace.api.state;

import java.util.Objects;

/**
 * Describes a {@link ListState}.
 *
 * <pre>{@code
 * ListStateDescriptor<Order> unpaid =
 *     new ListStateDescriptor<>("unpaid", StateTtl.afterWrite(Duration.ofDays(30)));
 * }</pre>
 */
@SuppressWarnings("UnusedTypeParameter") // It types the handles.
public record ListStateDescriptor<T>(String name, StateTtl ttl) implements StateDescriptor {
  public ListStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(ttl, "ttl");
  }

  public ListStateDescriptor(String name) {
    this(name, StateTtl.NONE);
  }

  /** The same state with a time to live. */
  public ListStateDescriptor<T> withTtl(StateTtl ttl) {
    return new ListStateDescriptor<>(name, ttl);
  }
}
