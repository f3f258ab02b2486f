package io.millrace.control.ha;

import io.millrace.core.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * A store in memory, for the embedded cluster, which has no recovery, and for tests. Sorted, so
 * that listings are deterministic.
 */
public final class MemoryHaStore implements HaStore {
  private final ConcurrentNavigableMap<String, Entry> entries = new ConcurrentSkipListMap<>();

  private record Entry(Bytes value, long version, long term) {}

  @Override
  public Optional<Versioned> read(String key) {
    return Optional.ofNullable(entries.get(key))
        .map(entry -> new Versioned(entry.value(), entry.version()));
  }

  @Override
  public long write(String key, Bytes value, long expectedVersion, long term) {
    Entry before = entries.get(key);
    check(key, before, expectedVersion, term);
    Entry after = new Entry(value, expectedVersion + 1, term);
    boolean won =
        before == null
            ? entries.putIfAbsent(key, after) == null
            : entries.replace(key, before, after);
    if (!won) {
      throw new StaleWriteException("'" + key + "' was changed by another writer");
    }
    return after.version();
  }

  @Override
  public void delete(String key, long expectedVersion, long term) {
    Entry before = entries.get(key);
    if (before == null) {
      return;
    }
    check(key, before, expectedVersion, term);
    if (!entries.remove(key, before)) {
      throw new StaleWriteException("'" + key + "' was changed by another writer");
    }
  }

  @Override
  public List<String> list(String prefix) {
    return new ArrayList<>(entries.subMap(prefix, prefix + Character.MAX_VALUE).keySet());
  }

  private static void check(String key, Entry before, long expectedVersion, long term) {
    long version = before == null ? ABSENT : before.version();
    if (version != expectedVersion) {
      throw new StaleWriteException(
          "'" + key + "' has version " + version + " and not the expected " + expectedVersion);
    }
    if (before != null && before.term() > term) {
      throw StaleWriteException.ofLaterTerm(
          "'" + key + "' was written in term " + before.term() + ", which is later than " + term);
    }
  }
}
