package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.state.StateInfo;

/** Receives the keyed state that an operator starts with. */
public interface KeyedStateVisitor {
  /**
   * Starts with entries of a key group.
   *
   * @param watermark the event time that the group had reached
   */
  default void group(long watermark) {}

  /**
   * An entry.
   *
   * @param start of its window, or the time of its last update; 0 for a state with neither, like
   *     the end
   */
  void entry(StateInfo state, Object key, long start, long end, Object value) throws Exception;

  /** Whether the entries of a state are needed; others are not decoded. */
  default boolean wants(StateInfo state) {
    return true;
  }
}
