package io.millrace.dataplane.store;

import io.millrace.api.window.TimeWindow;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.store.KeyValueStore;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;

/**
 * The contents of windows, or of panes of them, which have the same bounds for all keys. Within a
 * key group they are in order of windows and then of keys.
 */
public final class StoredWindows {
  static final int PREFIX = StoreBytes.GROUP + 2 * Long.BYTES;

  private static final BitSet NONE = new BitSet();

  private final StoredState state;
  private final StoredTable info;
  private final KeyValueStore.Table table;

  /** The windows with a content, and the key groups of these: most windows have few. */
  private final NavigableMap<TimeWindow, BitSet> groups =
      new TreeMap<>(Comparator.comparingLong(TimeWindow::start).thenComparingLong(TimeWindow::end));

  StoredWindows(StoredState state, StoredTable info) {
    this.state = state;
    this.info = info;
    this.table = info.table();
  }

  private static byte[] entry(byte[] key, TimeWindow window) {
    byte[] entry = new byte[PREFIX + key.length - StoreBytes.GROUP];
    StoreBytes.prefix(entry, StoreBytes.groupOf(key), window.start(), window.end());
    System.arraycopy(key, StoreBytes.GROUP, entry, PREFIX, key.length - StoreBytes.GROUP);
    return entry;
  }

  /** The key of an entry, with its group. */
  static byte[] keyOf(byte[] entry) {
    byte[] key = new byte[entry.length - PREFIX + StoreBytes.GROUP];
    System.arraycopy(entry, 0, key, 0, StoreBytes.GROUP);
    System.arraycopy(entry, PREFIX, key, StoreBytes.GROUP, entry.length - PREFIX);
    return key;
  }

  /**
   * The content of a window, null if it has none.
   *
   * @param key with its group
   */
  public Object get(byte[] key, TimeWindow window) {
    return table.get(entry(key, window)).map(this::decode).orElse(null);
  }

  Object decode(byte[] bytes) {
    return info.isList()
        ? state.values().decodeElements(bytes, 0)
        : state.values().decode(bytes, 0);
  }

  public void put(byte[] key, TimeWindow window, Object content) {
    use(window, StoreBytes.groupOf(key));
    table.put(
        entry(key, window),
        info.isList()
            ? state.values().encodeElements((Iterable<?>) content)
            : state.values().encode(content));
  }

  /** Whether the content is a list, to which {@link #append} adds. */
  public boolean isList() {
    return info.isList();
  }

  /** Adds an element to a content that is a list, without reading it. */
  public void append(byte[] key, TimeWindow window, Object element) {
    use(window, StoreBytes.groupOf(key));
    table.append(entry(key, window), state.values().encodeElement(element));
  }

  /** Removes all contents of a window. */
  public void remove(TimeWindow window) {
    BitSet used = groups.remove(window);
    if (used == null) {
      return;
    }
    used.stream()
        .forEach(
            group -> {
              // Not as a range: each range makes every later scan slower until it is compacted.
              try (KeyValueStore.Cursor cursor = scan(group, window)) {
                for (; cursor.isValid(); cursor.next()) {
                  table.delete(cursor.key());
                }
              }
            });
  }

  /** Removes everything, also what {@link #findWindows} has not found yet. */
  public void clear() {
    groups.clear();
    boolean isEmpty;
    try (KeyValueStore.Cursor cursor = state.scanAll(table)) {
      isEmpty = !cursor.isValid();
    }
    if (!isEmpty) {
      state.deleteAll(table);
    }
  }

  /** All windows with a content, in order of their starts. */
  public NavigableSet<TimeWindow> windows() {
    return Collections.unmodifiableNavigableSet(groups.navigableKeySet());
  }

  /** The first of all possible windows that start at or after a time. */
  public static TimeWindow lowest(long time) {
    long start = Math.min(time, Long.MAX_VALUE - 1);
    return new TimeWindow(start, start + 1);
  }

  /** Finds the windows of a store that was restored. */
  public void findWindows() {
    KeyGroupRange all = state.groups();
    for (int group = all.first(); group < all.end(); group++) {
      byte[] from = StoreBytes.group(group);
      byte[] end = StoreBytes.group(group + 1);
      while (from.length > 0) {
        try (KeyValueStore.Cursor cursor = table.scan(from, end)) {
          if (cursor.isValid()) {
            byte[] found = cursor.key();
            use(new TimeWindow(StoreBytes.time(found, 0), StoreBytes.time(found, 1)), group);
            from = StoreBytes.after(Arrays.copyOf(found, PREFIX));
          } else {
            from = StoreBytes.NOTHING;
          }
        }
      }
    }
  }

  private void use(TimeWindow window, int group) {
    groups.computeIfAbsent(window, x -> new BitSet()).set(group);
  }

  /** The key groups that have a content of a window. */
  BitSet groupsOf(TimeWindow window) {
    return groups.getOrDefault(window, NONE);
  }

  /** The entries of a window in a key group. */
  KeyValueStore.Cursor scan(int group, TimeWindow window) {
    byte[] from = StoreBytes.prefix(group, window.start(), window.end());
    return table.scan(from, StoreBytes.after(from));
  }
}
