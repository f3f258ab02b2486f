package io.millrace.dataplane.store;

import io.millrace.dataplane.records.ClassDictionary;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StoredPart;
import io.millrace.graph.KeyCodec;
import io.millrace.task.store.KeyValueStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads a table at the moment of a snapshot, group by group, on an I/O thread. */
final class FrozenTableReader implements StoredPart {
  private final StoredTable table;
  private final KeyValueStore.Snapshot snapshot;
  private final KeyCodec keys;
  private final ClassDictionary dictionary;
  private final long now;
  private final long timeToLive;

  /** Of the codec of the last call, which is the same for all groups; null before. */
  private StoredValues values;

  private RecordBatchCodec codecOfValues;

  /**
   * @param keys used by nothing else
   * @param dictionary of the values, used by nothing else
   * @param now the time of the snapshot, at which entries with a time to live expire
   */
  FrozenTableReader(
      StoredTable table,
      KeyValueStore.Snapshot snapshot,
      KeyCodec keys,
      ClassDictionary dictionary,
      long now) {
    this.table = table;
    this.snapshot = snapshot;
    this.keys = keys;
    this.dictionary = dictionary;
    this.now = now;
    this.timeToLive = table.timeToLive;
  }

  @Override
  public StateInfo info() {
    return table.info();
  }

  @Override
  public void release() {
    snapshot.close();
  }

  private boolean isExpired(long updated) {
    return now - updated >= timeToLive;
  }

  @Override
  public void entries(int group, RecordBatchCodec codec, StoredEntryConsumer out)
      throws IOException {
    if (codecOfValues != codec) {
      codecOfValues = codec;
      values = new StoredValues(codec, dictionary);
    }
    try (KeyValueStore.Cursor cursor =
        snapshot.scan(table.table(), StoreBytes.group(group), StoreBytes.group(group + 1))) {
      switch (table.layout()) {
        case VALUE, LIST -> values(cursor, values, out);
        case MAP -> maps(cursor, values, out);
        case WINDOW -> windows(cursor, values, out);
        case SESSION -> sessions(cursor, values, out);
        case TIMER -> timers(cursor, out);
      }
    }
  }

  private Object key(byte[] bytes, int from) {
    return keys.decode(ByteBuffer.wrap(bytes, from, bytes.length - from));
  }

  private void values(KeyValueStore.Cursor cursor, StoredValues values, StoredEntryConsumer out)
      throws IOException {
    boolean timed = table.info().timed();
    for (; cursor.isValid(); cursor.next()) {
      byte[] value = cursor.value();
      long updated = timed ? StoreBytes.timestamp(value) : 0;
      if (timed && isExpired(updated)) {
        continue;
      }
      int from = timed ? Long.BYTES : 0;
      out.accept(
          key(cursor.key(), StoreBytes.GROUP),
          updated,
          0,
          table.isList() ? values.decodeElements(value, from) : values.decode(value, from));
    }
  }

  private void maps(KeyValueStore.Cursor cursor, StoredValues values, StoredEntryConsumer out)
      throws IOException {
    byte[] prefix = StoreBytes.NOTHING;
    Object key = null;
    long updated = 0;
    Map<Object, Object> entries = new LinkedHashMap<>();
    for (; cursor.isValid(); cursor.next()) {
      byte[] bytes = cursor.key();
      if (key == null || !StoreBytes.startsWith(bytes, prefix)) {
        accept(key, updated, entries, out);
        entries = new LinkedHashMap<>();
        updated = 0;
        ByteBuffer in = ByteBuffer.wrap(bytes, StoreBytes.GROUP, bytes.length - StoreBytes.GROUP);
        key = keys.decode(in);
        prefix = Arrays.copyOf(bytes, in.position());
      }
      if (bytes.length == prefix.length) {
        updated = StoreBytes.timestamp(cursor.value());
      } else {
        entries.put(key(bytes, prefix.length), values.decode(cursor.value(), 0));
      }
    }
    accept(key, updated, entries, out);
  }

  private void accept(
      Object key, long updated, Map<Object, Object> entries, StoredEntryConsumer out)
      throws IOException {
    if (!entries.isEmpty() && !(table.info().timed() && isExpired(updated))) {
      out.accept(key, updated, 0, entries);
    }
  }

  private void windows(KeyValueStore.Cursor cursor, StoredValues values, StoredEntryConsumer out)
      throws IOException {
    for (; cursor.isValid(); cursor.next()) {
      byte[] bytes = cursor.key();
      byte[] value = cursor.value();
      out.accept(
          key(bytes, StoreBytes.GROUP + 2 * Long.BYTES),
          StoreBytes.time(bytes, 0),
          StoreBytes.time(bytes, 1),
          table.isList() ? values.decodeElements(value, 0) : values.decode(value, 0));
    }
  }

  private void sessions(KeyValueStore.Cursor cursor, StoredValues values, StoredEntryConsumer out)
      throws IOException {
    for (; cursor.isValid(); cursor.next()) {
      Object key = key(cursor.key(), StoreBytes.GROUP);
      for (StoredSession session : values.decodeSessions(cursor.value())) {
        out.accept(key, session.start(), session.end(), session.content());
      }
    }
  }

  private void timers(KeyValueStore.Cursor cursor, StoredEntryConsumer out) throws IOException {
    for (; cursor.isValid(); cursor.next()) {
      byte[] bytes = cursor.key();
      out.accept(key(bytes, StoreBytes.GROUP + Long.BYTES), 0, 0, StoreBytes.time(bytes, 0));
    }
  }
}
