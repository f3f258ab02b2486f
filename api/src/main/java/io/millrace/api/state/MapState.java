package io.millrace.api.state;

import java.util.Map;

/** A map of the current key or, as broadcast state, of the subtask. */
public interface MapState<K, V> {
  /** The value under a map key, or null if there is none. */
  V get(K mapKey);

  void put(K mapKey, V value);

  void remove(K mapKey);

  boolean contains(K mapKey);

  boolean isEmpty();

  /**
   * A view of all entries, on the heap in insertion order of the keys; a backend outside the heap
   * has an order of its own. The map must not be changed while it is iterated.
   */
  Map<K, V> entries();

  void clear();
}
