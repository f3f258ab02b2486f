package io.millrace.api.state;

import java.util.Objects;

/**
 * Describes a {@link MapState}.
 *
 * <pre>{@code
 * MapStateDescriptor<String, Long> limits = new MapStateDescriptor<>("limits");
 * BroadcastStream<Payment> everywhere = payments.broadcast(limits);
 * }</pre>
 */
@SuppressWarnings("UnusedTypeParameter") // It types the handles.
public record MapStateDescriptor<K, V>(String name, StateTtl ttl) implements StateDescriptor {
  public MapStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(ttl, "ttl");
  }

  public MapStateDescriptor(String name) {
    this(name, StateTtl.NONE);
  }

  /** The same state with a time to live. */
  public MapStateDescriptor<K, V> withTtl(StateTtl ttl) {
    return new MapStateDescriptor<>(name, ttl);
  }
}
