package io.millrace.dataplane.store;

import io.millrace.dataplane.records.ClassDictionary;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.snapshot.NativeSnapshot;
import io.millrace.dataplane.snapshot.NativeState;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.snapshot.RestoredState;
import io.millrace.dataplane.snapshot.SharedFiles;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.StateErrors;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.state.StatePart;
import io.millrace.graph.KeyCodec;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.store.KeyValueStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/** The keyed state of an operator in a store. */
public final class StoredState {
  /** What belongs to the operator that the state is of. */
  public record Owner(
      KeyGroupRange groups, int maxParallelism, RecordBatchCodec codec, LongSupplier clock) {}

  /** Where stores are opened. */
  public interface Opener {
    /** The name of the backend, which is that of the format of its files. */
    String backend();

    /** A new empty local directory. */
    Path directory();

    /** Opens the store in a directory, which is deleted when the store is closed. */
    KeyValueStore open(Path directory);
  }

  private final Opener opener;
  private final Owner owner;
  private final KeyCodec keys;

  /** Describes the classes in values. */
  private ClassDictionary dictionary = new ClassDictionary();

  private StoredValues values;
  private final SharedFiles sharedFiles = new SharedFiles();

  /** The names of classes in values that were written before a restore. */
  private final Set<String> formerClasses = new TreeSet<>();

  private final Map<String, StoredTable> tables = new LinkedHashMap<>();

  /** Null before the first state. */
  private KeyValueStore store;

  /**
   * @param opener opens the store for the first state: many operators with a key have none
   * @param owner its codec writes classes with their fields, and is used by nothing else
   */
  public StoredState(Opener opener, Owner owner) {
    this.opener = opener;
    this.owner = owner;
    this.keys = new KeyCodec(owner.codec().classes());
    this.values = new StoredValues(owner.codec(), dictionary);
  }

  KeyGroupRange groups() {
    return owner.groups();
  }

  StoredValues values() {
    return values;
  }

  private KeyValueStore store() {
    if (store == null) {
      store = opener.open(opener.directory());
    }
    return store;
  }

  /** Closes the store, if it was opened. */
  public void close() {
    if (store != null) {
      store.close();
    }
  }

  long now() {
    return owner.clock().getAsLong();
  }

  /** A key with its group. */
  public byte[] keyOf(Object key) {
    return keys.encode(StoreBytes.group(KeyGroups.groupOf(key, owner.maxParallelism())), key);
  }

  /** Something that belongs to a key. */
  byte[] encode(byte[] prefix, Object part) {
    return keys.encode(prefix, part);
  }

  Object decodeKey(byte[] bytes, int from) {
    return keys.decode(ByteBuffer.wrap(bytes, from, bytes.length - from));
  }

  /** The key of an entry whose key it begins with. */
  public Object decodeKey(byte[] bytes) {
    return decodeKey(bytes, StoreBytes.GROUP);
  }

  // --- tables

  /** The table of a state, which is created if there is none. */
  public StoredTable table(StateInfo info, Layout layout) {
    return table(info, layout, false);
  }

  private StoredTable table(StateInfo info, Layout layout, boolean internal) {
    StoredTable known = tables.get(info.name());
    if (known == null) {
      known = new StoredTable(info, layout, internal, store().table(tableName(info.name())));
      tables.put(info.name(), known);
    } else if (known.info().kind() != info.kind()) {
      throw StateErrors.otherKind(info.name(), info.kind(), known.info().kind());
    }
    return known;
  }

  /** The table of a state, if there is one. */
  Optional<StoredTable> find(String name) {
    return Optional.ofNullable(tables.get(name));
  }

  /** Whether a function has states, of its own or of a checkpoint. */
  boolean hasStates(String prefix) {
    return tables.values().stream()
        .anyMatch(
            table ->
                table.layout() != Layout.TIMER
                    && !table.info().namespaced()
                    && table.info().name().startsWith(prefix));
  }

  /** The states that the store has, those of a checkpoint included, without internal ones. */
  public List<StateInfo> states() {
    return tables.values().stream()
        .filter(table -> !table.isInternal())
        .map(StoredTable::info)
        .toList();
  }

  /** Whether no key of the subtask has an entry in a state. */
  public boolean isEmpty(StateInfo info) {
    try (KeyValueStore.Cursor cursor = scanAll(tables.get(info.name()).table())) {
      return !cursor.isValid();
    }
  }

  /** The keys of the subtask that have an entry in a table, each once. */
  List<Object> keysOf(StoredTable table) {
    List<Object> found = new ArrayList<>();
    byte[] last = StoreBytes.NOTHING;
    try (KeyValueStore.Cursor cursor = scanAll(table.table())) {
      for (; cursor.isValid(); cursor.next()) {
        byte[] bytes = cursor.key();
        // The entries of a map that belong to one key follow each other.
        if (last.length == 0 || !StoreBytes.startsWith(bytes, last)) {
          ByteBuffer in = ByteBuffer.wrap(bytes, StoreBytes.GROUP, bytes.length - StoreBytes.GROUP);
          found.add(keys.decode(in));
          last = Arrays.copyOf(bytes, in.position());
        }
      }
    }
    return found;
  }

  /** Whether an entry of a map is that of the key alone. */
  boolean isKeyAlone(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes, StoreBytes.GROUP, bytes.length - StoreBytes.GROUP);
    keys.decode(in);
    return !in.hasRemaining();
  }

  /** Replaces a table by one with or without times. */
  StoredTable withTimes(StoredTable before, boolean timed) {
    StateInfo info = new StateInfo(before.info().name(), before.info().kind(), false, timed);
    StoredTable after = new StoredTable(info, before.layout(), false, before.table());
    tables.put(info.name(), after);
    long now = now();
    KeyValueStore.Table table = before.table();
    byte[] last = StoreBytes.NOTHING;
    try (KeyValueStore.Cursor cursor = scanAll(table)) {
      for (; cursor.isValid(); cursor.next()) {
        byte[] key = cursor.key();
        byte[] value = cursor.value();
        if (before.layout() == Layout.MAP) {
          if (last.length == 0 || !StoreBytes.startsWith(key, last)) {
            ByteBuffer in = ByteBuffer.wrap(key, StoreBytes.GROUP, key.length - StoreBytes.GROUP);
            keys.decode(in);
            last = Arrays.copyOf(key, in.position());
            if (timed) {
              table.put(last, StoreBytes.timestamp(now));
            }
          }
          if (!timed && key.length == last.length) {
            table.delete(key);
          }
        } else {
          byte[] changed = new byte[timed ? value.length + Long.BYTES : value.length - Long.BYTES];
          if (timed) {
            System.arraycopy(StoreBytes.timestamp(now), 0, changed, 0, Long.BYTES);
            System.arraycopy(value, 0, changed, Long.BYTES, value.length);
          } else {
            System.arraycopy(value, Long.BYTES, changed, 0, changed.length);
          }
          table.put(key, changed);
        }
      }
    }
    return after;
  }

  private static String tableName(String state) {
    return "state." + state;
  }

  /** All entries of the subtask's groups. */
  public KeyValueStore.Cursor scanAll(KeyValueStore.Table table) {
    return table.scan(
        StoreBytes.group(owner.groups().first()), StoreBytes.group(owner.groups().end()));
  }

  /** Deletes all entries of the subtask's groups. */
  public void deleteAll(KeyValueStore.Table table) {
    table.deleteRange(
        StoreBytes.group(owner.groups().first()), StoreBytes.group(owner.groups().end()));
  }

  /** Timers that are a state, or belong to one. */
  public StoredTimers timers(StateInfo info, boolean internal) {
    return new StoredTimers(table(info, Layout.TIMER, internal), owner.groups());
  }

  /** A value per key, for an operator of the engine. */
  public StoredValue value(StateInfo info) {
    return new StoredValue(this, table(info, Layout.VALUE));
  }

  /**
   * The contents of windows, for an operator of the engine.
   *
   * @param internal whether they are no part of a checkpoint in the format of all backends
   */
  public StoredWindows windows(StateInfo info, boolean internal) {
    return new StoredWindows(this, table(info, Layout.WINDOW, internal));
  }

  /** The sessions of keys, for an operator of the engine. */
  public StoredSessions sessions(StateInfo info) {
    return new StoredSessions(this, table(info, Layout.SESSION));
  }

  // --- snapshots

  /** Adds all states and timers as they are now to a snapshot. */
  public void snapshot(OperatorSnapshotBuilder to, KeyGroupWatermarks reached) {
    if (!to.isNative() || store == null) {
      to.keyed(freeze(), reached);
      return;
    }
    Path directory = opener.directory().resolve("checkpoint");
    Set<String> classes = new TreeSet<>(formerClasses);
    classes.addAll(owner.codec().seenClasses());
    Path parent = directory.getParent();
    try {
      store.checkpoint(directory);
    } catch (RuntimeException e) {
      LocalStores.delete(parent);
      throw e;
    }
    to.keyed(
        new NativeSnapshot(
            new NativeState(
                opener.backend(),
                tables.values().stream()
                    .map(
                        table ->
                            new NativeState.NativeTable(
                                table.info(), table.layout().name(), table.isInternal()))
                    .toList(),
                keys.classNames(),
                classes,
                dictionary.sections()),
            directory,
            store::isShared,
            sharedFiles,
            () -> LocalStores.delete(parent)),
        reached);
  }

  public void checkpointCompleted(long checkpoint) {
    sharedFiles.completed(checkpoint);
  }

  public void checkpointAborted(long checkpoint) {
    sharedFiles.aborted(checkpoint);
  }

  /** Continues with the files of a checkpoint, before the first state is asked for. */
  public void restore(RestoredState from) {
    List<RestoredState.RestoredFiles> pieces = from.files(opener.backend());
    for (RestoredState.RestoredFiles piece : pieces) {
      keys.addClassNames(piece.state().keyClasses());
      formerClasses.addAll(piece.state().valueClasses());
    }
    if (pieces.size() == 1 && isWithin(owner.groups(), pieces.get(0).groups())) {
      continueWith(pieces.get(0));
    } else {
      pieces.forEach(this::copyFrom);
    }
  }

  private static boolean isWithin(KeyGroupRange inner, KeyGroupRange outer) {
    return inner.first() >= outer.first() && inner.end() <= outer.end();
  }

  private void continueWith(RestoredState.RestoredFiles piece) {
    Path directory = opener.directory();
    piece.download().accept(directory);
    store = opener.open(directory);
    dictionary = new ClassDictionary(piece.state().dictionary());
    values = new StoredValues(owner.codec(), dictionary);
    addTables(piece.state());
    for (StoredTable table : tables.values()) {
      if (piece.groups().first() < owner.groups().first()) {
        table
            .table()
            .deleteRange(
                StoreBytes.group(piece.groups().first()), StoreBytes.group(owner.groups().first()));
      }
      if (piece.groups().end() > owner.groups().end()) {
        table
            .table()
            .deleteRange(
                StoreBytes.group(owner.groups().end()), StoreBytes.group(piece.groups().end()));
      }
    }
    sharedFiles.restored(piece.sharedDirectory(), piece.sharedFiles());
  }

  private void addTables(NativeState state) {
    for (NativeState.NativeTable table : state.tables()) {
      table(table.state(), Layout.valueOf(table.layout()), table.internal());
    }
  }

  /** Copies the entries of the subtask's groups from the files of a former subtask. */
  private void copyFrom(RestoredState.RestoredFiles piece) {
    addTables(piece.state());
    Path directory = opener.directory();
    piece.download().accept(directory);
    // Its values refer to a dictionary of its own.
    StoredValues read =
        new StoredValues(owner.codec(), new ClassDictionary(piece.state().dictionary()));
    boolean hasClasses = !piece.state().dictionary().isEmpty();
    try (KeyValueStore former = opener.open(directory)) {
      for (NativeState.NativeTable each : piece.state().tables()) {
        StoredTable copy = tables.get(each.state().name());
        KeyValueStore.Table to = copy.table();
        try (KeyValueStore.Cursor cursor = scanAll(former.table(tableName(each.state().name())))) {
          for (; cursor.isValid(); cursor.next()) {
            byte[] key = cursor.key();
            byte[] value = cursor.value();
            to.put(key, hasClasses ? encodedAgain(copy, key, value, read) : value);
          }
        }
      }
    }
  }

  private byte[] encodedAgain(StoredTable table, byte[] key, byte[] value, StoredValues read) {
    boolean timed = table.info().timed();
    return switch (table.layout()) {
      case VALUE, LIST, WINDOW -> {
        int from = timed ? Long.BYTES : 0;
        if (table.isList()) {
          List<Object> elements = read.decodeElements(value, from);
          yield timed
              ? values.encodeElements(StoreBytes.timestamp(value), elements)
              : values.encodeElements(elements);
        }
        Object decoded = read.decode(value, from);
        yield timed ? values.encode(StoreBytes.timestamp(value), decoded) : values.encode(decoded);
      }
      case MAP -> timed && isKeyAlone(key) ? value : values.encode(read.decode(value, 0));
      case SESSION -> values.encodeSessions(read.decodeSessions(value));
      case TIMER -> value;
    };
  }

  /** All states and timers as they are now, in the format of all backends. */
  List<StatePart> freeze() {
    if (store == null) {
      return List.of();
    }
    KeyValueStore.Snapshot snapshot = store.snapshot();
    long now = now();
    List<StatePart> parts = new ArrayList<>();
    for (StoredTable table : tables.values()) {
      if (!table.isInternal()) {
        KeyCodec reader = new KeyCodec(owner.codec().classes());
        reader.addClassNames(keys.classNames());
        parts.add(
            new FrozenTableReader(
                table, snapshot, reader, new ClassDictionary(dictionary.sections()), now));
      }
    }
    if (parts.isEmpty()) {
      snapshot.close();
    }
    return parts;
  }

  /** Adds an entry of a checkpoint to a state that is neither timers nor of windows. */
  void restore(StateInfo info, Object key, long updated, Object value) {
    byte[] bytes = keyOf(key);
    boolean timed = info.timed();
    switch (info.kind()) {
      case LIST ->
          table(info, Layout.LIST)
              .table()
              .put(
                  bytes,
                  timed
                      ? values.encodeElements(updated, (Collection<?>) value)
                      : values.encodeElements((Collection<?>) value));
      case MAP -> {
        KeyValueStore.Table table = table(info, Layout.MAP).table();
        if (timed) {
          table.put(bytes, StoreBytes.timestamp(updated));
        }
        ((Map<?, ?>) value)
            .forEach((part, entry) -> table.put(encode(bytes, part), values.encode(entry)));
      }
      case VALUE, REDUCING, AGGREGATING ->
          table(info, Layout.VALUE)
              .table()
              .put(bytes, timed ? values.encode(updated, value) : values.encode(value));
      case EVENT_TIMERS, PROCESSING_TIMERS ->
          throw new IllegalArgumentException(info.name() + " are timers");
    }
  }

  static Layout layoutOf(StateKind kind) {
    return switch (kind) {
      case LIST -> Layout.LIST;
      case MAP -> Layout.MAP;
      case VALUE, REDUCING, AGGREGATING -> Layout.VALUE;
      case EVENT_TIMERS, PROCESSING_TIMERS -> Layout.TIMER;
    };
  }
}
