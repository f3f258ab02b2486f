package io.millrace.api.state;

import java.util.Objects;

/** Describes a {@link ListState}. */
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
