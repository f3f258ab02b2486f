package io.millrace.api.state;

import java.util.Map;

/** A broadcast state as a function sees it that must not change it. */
public interface ReadOnlyBroadcastState<K, V> {
  /** The value under a map key, or null if there is none. */
  V get(K mapKey);

  boolean contains(K mapKey);

  boolean isEmpty();

  /** An unmodifiable view of all entries, in insertion order of the keys. */
  Map<K, V> entries();
}
