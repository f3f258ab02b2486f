package io.millrace.control.ha;

import io.millrace.core.Bytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A store of which some values were read together, in one round trip to a service. The first read
 * of such a key returns that value. A write that relies on a value which was changed since then
 * fails, as after any other read. For one thread.
 */
public final class ReadAheadStore implements HaStore {
  private final HaStore store;
  private final Map<String, Optional<Versioned>> values = new HashMap<>();

  /** Reads the keys. Blocks. */
  public ReadAheadStore(HaStore store, List<String> keys) {
    this.store = store;
    List<Optional<Versioned>> found = store.readAll(keys);
    for (int i = 0; i < keys.size(); i++) {
      values.put(keys.get(i), found.get(i));
    }
  }

  @Override
  public Optional<Versioned> read(String key) {
    Optional<Versioned> known = values.remove(key);
    return known != null ? known : store.read(key);
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    values.remove(key);
    return store.write(key, value, expectedVersion, term);
  }

  @Override
  public void delete(String key, long expectedVersion, long term) {
    values.remove(key);
    store.delete(key, expectedVersion, term);
  }

  @Override
  public List<String> list(String prefix) {
    return store.list(prefix);
  }
}
