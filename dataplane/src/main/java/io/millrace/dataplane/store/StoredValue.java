package io.millrace.dataplane.store;

import io.millrace.task.store.KeyValueStore;

/** A value per key, without a time to live. */
public final class StoredValue {
  private final StoredState state;
  private final KeyValueStore.Table table;

  StoredValue(StoredState state, StoredTable table) {
    this.state = state;
    this.table = table.table();
  }

  /**
   * The value of a key, null if it has none.
   *
   * @param key with its group
   */
  public Object get(byte[] key) {
    return table.get(key).map(bytes -> state.values().decode(bytes, 0)).orElse(null);
  }

  public void put(byte[] key, Object value) {
    table.put(key, state.values().encode(value));
  }

  /** All keys with their values, as they are now. */
  public KeyValueStore.Cursor scan() {
    return state.scanAll(table);
  }

  public Object decode(KeyValueStore.Cursor cursor) {
    return state.values().decode(cursor.value(), 0);
  }

  /** Removes all values. */
  public void clear() {
    state.deleteAll(table);
  }
}
