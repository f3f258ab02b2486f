package io.millrace.dataplane.store;

import io.millrace.task.store.KeyValueStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The sessions of keys, each in order of time. */
public final class StoredSessions {
  private final StoredState state;
  private final KeyValueStore.Table table;

  /** The key whose sessions are being restored, and these, which are not in the table yet. */
  private byte[] restoredKey = StoreBytes.NOTHING;

  private final List<StoredSession> restored = new ArrayList<>();

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

  /**
   * Adds a session of a checkpoint, which has the sessions of a key one after the other and in
   * order of time. They are put into the table together, because each of them alone would mean to
   * write those before it again.
   */
  public void restore(byte[] key, StoredSession session) {
    if (!Arrays.equals(key, restoredKey)) {
      restored();
      restoredKey = key;
      restored.addAll(get(key));
    }
    restored.add(session);
  }

  /** All sessions of the checkpoint have been passed to {@link #restore}. */
  public void restored() {
    if (!restored.isEmpty()) {
      put(restoredKey, restored);
      restored.clear();
    }
    restoredKey = StoreBytes.NOTHING;
  }
}
