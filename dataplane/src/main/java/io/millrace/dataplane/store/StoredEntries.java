package io.millrace.dataplane.store;

import io.millrace.api.state.StateTtl;
import io.millrace.task.store.KeyValueStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The entries of the current key in a state. With a time to live, what has expired is removed
 * before it can be read. What no key accesses any more is removed by a walk through the table,
 * which goes on with each access by a few entries: the native library calls no Java code in
 * compactions.
 */
final class StoredEntries {
  /** An access in so many continues the walk. */
  private static final int ACCESSES_PER_WALK = 32;

  /** The number of entries that the walk goes on by. */
  private static final int WALK = 64;

  private final StoredKeyedStateBackend backend;
  private final StoredState state;
  private final StoredTable info;
  private final KeyValueStore.Table table;
  private final boolean timed;
  private final boolean updatedByReads;
  private int accesses;
  private byte[] walked = StoreBytes.NOTHING;

  StoredEntries(StoredKeyedStateBackend backend, StoredTable info, StateTtl ttl) {
    this.backend = backend;
    this.state = backend.state();
    this.info = info;
    this.table = info.table();
    this.timed = info.info().timed();
    this.updatedByReads = timed && ttl.updateType() == StateTtl.UpdateType.ON_READ_AND_WRITE;
  }

  // --- a value or a list

  /** The bytes of the value; with a time to live after the time. */
  private Optional<byte[]> read(byte[] key) {
    Optional<byte[]> bytes = table.get(key);
    if (!timed) {
      return bytes;
    }
    long now = walk();
    if (bytes.isPresent() && info.isExpired(StoreBytes.timestamp(bytes.get()), now)) {
      table.delete(key);
      return Optional.empty();
    }
    return bytes;
  }

  private int offset() {
    return timed ? Long.BYTES : 0;
  }

  /** The value, null if there is none. */
  Object get() {
    return get(true);
  }

  /**
   * @param counts whether a time to live begins anew if reads count
   */
  Object get(boolean counts) {
    byte[] key = backend.keyBytes();
    Optional<byte[]> bytes = read(key);
    if (bytes.isEmpty()) {
      return null;
    }
    touch(key, bytes.get(), counts);
    return state.values().decode(bytes.get(), offset());
  }

  private void touch(byte[] key, byte[] bytes, boolean counts) {
    if (counts && updatedByReads) {
      System.arraycopy(StoreBytes.timestamp(state.now()), 0, bytes, 0, Long.BYTES);
      table.put(key, bytes);
    }
  }

  void put(Object value) {
    byte[] key = backend.keyBytes();
    if (value == null) {
      table.delete(key);
    } else if (timed) {
      table.put(key, state.values().encode(walk(), value));
    } else {
      table.put(key, state.values().encode(value));
    }
  }

  List<Object> getList() {
    byte[] key = backend.keyBytes();
    Optional<byte[]> bytes = read(key);
    if (bytes.isEmpty()) {
      return List.of();
    }
    touch(key, bytes.get(), true);
    return state.values().decodeElements(bytes.get(), offset());
  }

  void putList(List<Object> elements) {
    byte[] key = backend.keyBytes();
    if (elements.isEmpty()) {
      table.delete(key);
    } else if (timed) {
      table.put(key, state.values().encodeElements(walk(), elements));
    } else {
      table.put(key, state.values().encodeElements(elements));
    }
  }

  void addAll(List<Object> elements) {
    if (elements.isEmpty()) {
      return;
    }
    byte[] key = backend.keyBytes();
    byte[] more = state.values().encodeElements(elements);
    if (!timed) {
      table.append(key, more);
      return;
    }
    byte[] before = read(key).orElseGet(() -> new byte[Long.BYTES]);
    byte[] after = Arrays.copyOf(before, before.length + more.length);
    System.arraycopy(StoreBytes.timestamp(state.now()), 0, after, 0, Long.BYTES);
    System.arraycopy(more, 0, after, before.length, more.length);
    table.put(key, after);
  }

  void clear() {
    table.delete(backend.keyBytes());
  }

  // --- a map

  /** The current key, if its map has not expired. */
  private byte[] mapKey(boolean counts) {
    byte[] key = backend.keyBytes();
    if (timed) {
      long now = walk();
      Optional<byte[]> updated = table.get(key);
      if (updated.isPresent()) {
        if (info.isExpired(StoreBytes.timestamp(updated.get()), now)) {
          clearMap();
        } else if (counts && updatedByReads) {
          table.put(key, StoreBytes.timestamp(now));
        }
      }
    }
    return key;
  }

  Object getEntry(Object part) {
    byte[] entry = state.encode(mapKey(true), part);
    return table.get(entry).map(bytes -> state.values().decode(bytes, 0)).orElse(null);
  }

  boolean hasEntry(Object part) {
    return table.get(state.encode(mapKey(true), part)).isPresent();
  }

  void putEntry(Object part, Object value) {
    byte[] key = mapKey(false);
    table.put(state.encode(key, part), state.values().encode(value));
    if (timed) {
      table.put(key, StoreBytes.timestamp(state.now()));
    }
  }

  void removeEntry(Object part) {
    byte[] key = mapKey(false);
    table.delete(state.encode(key, part));
    if (timed) {
      if (isMapEmpty(key)) {
        table.delete(key);
      } else {
        table.put(key, StoreBytes.timestamp(state.now()));
      }
    }
  }

  boolean isMapEmpty() {
    return isMapEmpty(mapKey(true));
  }

  private boolean isMapEmpty(byte[] key) {
    try (KeyValueStore.Cursor cursor = table.scan(key, StoreBytes.after(key))) {
      if (cursor.isValid() && cursor.key().length == key.length) {
        cursor.next();
      }
      return !cursor.isValid();
    }
  }

  /** The entries, in order of the bytes of their keys. */
  Map<Object, Object> getMap() {
    byte[] key = mapKey(true);
    Map<Object, Object> entries = new LinkedHashMap<>();
    try (KeyValueStore.Cursor cursor = table.scan(key, StoreBytes.after(key))) {
      for (; cursor.isValid(); cursor.next()) {
        byte[] entry = cursor.key();
        if (entry.length > key.length) {
          entries.put(state.decodeKey(entry, key.length), state.values().decode(cursor.value(), 0));
        }
      }
    }
    return entries;
  }

  void clearMap() {
    byte[] key = backend.keyBytes();
    deleteMap(key);
  }

  private void deleteMap(byte[] key) {
    List<byte[]> found = new ArrayList<>();
    try (KeyValueStore.Cursor cursor = table.scan(key, StoreBytes.after(key))) {
      for (; cursor.isValid(); cursor.next()) {
        found.add(cursor.key());
      }
    }
    found.forEach(table::delete);
  }

  // --- what no key accesses

  /** Counts an access; returns the time. */
  private long walk() {
    long now = state.now();
    if (++accesses % ACCESSES_PER_WALK == 0) {
      walk(now);
    }
    return now;
  }

  private void walk(long now) {
    byte[] from = walked.length == 0 ? StoreBytes.group(state.groups().first()) : walked;
    List<byte[]> expired = new ArrayList<>();
    try (KeyValueStore.Cursor cursor = table.scan(from, StoreBytes.group(state.groups().end()))) {
      int left = WALK;
      for (; cursor.isValid() && left > 0; cursor.next()) {
        left--;
        byte[] key = cursor.key();
        if (isExpired(key, cursor.value(), now)) {
          expired.add(key);
        }
      }
      walked = cursor.isValid() ? cursor.key() : StoreBytes.NOTHING;
    }
    for (byte[] key : expired) {
      if (info.layout() == Layout.MAP) {
        deleteMap(key);
      } else {
        table.delete(key);
      }
    }
  }

  /** Only an entry of the key alone has the time of a map. */
  private boolean isExpired(byte[] key, byte[] value, long now) {
    return (info.layout() != Layout.MAP || state.isKeyAlone(key))
        && info.isExpired(StoreBytes.timestamp(value), now);
  }
}
