package io.millrace.dataplane.store;

import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.task.store.KeyValueStore;

/** A state and its table. */
public final class StoredTable {
  private final StateInfo info;
  private final Layout layout;
  private final boolean internal;
  private final KeyValueStore.Table table;

  /** The time to live in milliseconds, for a state with one. */
  long timeToLive = Long.MAX_VALUE;

  /**
   * @param internal whether it is not part of a checkpoint in the format of all backends
   */
  StoredTable(StateInfo info, Layout layout, boolean internal, KeyValueStore.Table table) {
    this.info = info;
    this.layout = layout;
    this.internal = internal;
    this.table = table;
  }

  StateInfo info() {
    return info;
  }

  Layout layout() {
    return layout;
  }

  boolean isInternal() {
    return internal;
  }

  public KeyValueStore.Table table() {
    return table;
  }

  /** Whether a value is a sequence of elements. */
  boolean isList() {
    return info.kind() == StateKind.LIST && (layout == Layout.LIST || layout == Layout.WINDOW);
  }

  boolean isExpired(long updated, long now) {
    // Not as a sum, which may overflow.
    return now - updated >= timeToLive;
  }
}
