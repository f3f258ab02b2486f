package io.millrace.api.state;

import java.util.Map;

/** A map of the key at work. */
public interface MapState<K, V> {
  /** The value under a map key, or null if there is none. */
  V get(K mapKey);

  void put(K mapKey, V value);

  void remove(K mapKey);

  boolean contains(K mapKey);

  boolean isEmpty();

  /**
   * A look at all entries, in the order in which their keys were first put; not for changing the
   * map while it is read.
   */
  Map<K, V> entries();

  void clear();
}
