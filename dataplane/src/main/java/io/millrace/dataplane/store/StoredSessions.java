package io.millrace.dataplane.store;

import io.millrace.task.store.KeyValueStore;
import java.util.List;

/** The sessions of keys, each in order of time. */
public final class StoredSessions {
  private final StoredState state;
  private final KeyValueStore.Table table;

  StoredSessions(StoredState state, StoredTable table) {
    this.state = state;
    this.table = table.table();
  }

  /**
   * @param key with its group
   */
  public List<StoredSession> get(byte[] key) {
    return table.get(key).map(state.values()::decodeSessions).orElse(List.of());
  }

  public void put(byte[] key, List<StoredSession> sessions) {
    if (sessions.isEmpty()) {
      table.delete(key);
    } else {
      table.put(key, state.values().encodeSessions(sessions));
    }
  }
}
