package io.millrace.dataplane.store;

import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.store.KeyValueStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * The contents of windows, or of panes of them, which have the same bounds for all keys. Within a
 * key group they are in order of windows and then of keys.
 */
public final class StoredWindows {
  private static final int PREFIX = StoreBytes.GROUP + 2 * Long.BYTES;

  private final StoredState state;
  private final StoredTable info;
  private final KeyValueStore.Table table;

  /** The windows with a content, and the key groups of these: most windows have few. */
  private final NavigableMap<Long, BitSet> groups = new TreeMap<>();

  StoredWindows(StoredState state, StoredTable info) {
    this.state = state;
    this.info = info;
    this.table = info.table();
  }

  private static byte[] entry(byte[] key, long start, long end) {
    byte[] prefix = StoreBytes.prefix(StoreBytes.groupOf(key), start, end);
    byte[] entry = Arrays.copyOf(prefix, PREFIX + key.length - StoreBytes.GROUP);
    System.arraycopy(key, StoreBytes.GROUP, entry, PREFIX, key.length - StoreBytes.GROUP);
    return entry;
  }

  /**
   * The content of a window, null if it has none.
   *
   * @param key with its group
   */
  public Object get(byte[] key, long start, long end) {
    return table.get(entry(key, start, end)).map(this::decode).orElse(null);
  }

  private Object decode(byte[] bytes) {
    return info.isList()
        ? state.values().decodeElements(bytes, 0)
        : state.values().decode(bytes, 0);
  }

  public void put(byte[] key, long start, long end, Object content) {
    use(start, StoreBytes.groupOf(key));
    table.put(
        entry(key, start, end),
        info.isList()
            ? state.values().encodeElements((Iterable<?>) content)
            : state.values().encode(content));
  }

  /** Whether the content is a list, to which {@link #append} adds. */
  public boolean isList() {
    return info.isList();
  }

  /** Adds an element to a content that is a list, without reading it. */
  public void append(byte[] key, long start, long end, Object element) {
    use(start, StoreBytes.groupOf(key));
    table.append(entry(key, start, end), state.values().encodeElement(element));
  }

  /** Removes all contents of a window. */
  public void remove(long start) {
    BitSet used = groups.remove(start);
    if (used == null) {
      return;
    }
    used.stream()
        .forEach(
            group -> {
              byte[] from = StoreBytes.prefix(group, start);
              // Not as a range: each range makes every later scan slower until it is compacted.
              try (KeyValueStore.Cursor cursor = table.scan(from, StoreBytes.after(from))) {
                for (; cursor.isValid(); cursor.next()) {
                  table.delete(cursor.key());
                }
              }
            });
  }

  /** The starts of all windows with a content. */
  public NavigableSet<Long> starts() {
    return Collections.unmodifiableNavigableSet(groups.navigableKeySet());
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
            long start = StoreBytes.time(cursor.key(), 0);
            use(start, group);
            from = StoreBytes.after(StoreBytes.prefix(group, start));
          } else {
            from = StoreBytes.NOTHING;
          }
        }
      }
    }
  }

  private void use(long start, int group) {
    groups.computeIfAbsent(start, x -> new BitSet()).set(group);
  }

  /** Receives a key and its contents in several windows, in order of the windows. */
  public interface ContentConsumer {
    void accept(Object key, List<Object> contents);
  }

  /** Reads the contents of several windows of all keys, key by key. */
  public Reader read(List<Long> starts) {
    return new Reader(starts);
  }

  /** Goes through keys in order; it can be left between two keys and continued. */
  public final class Reader implements AutoCloseable {
    private final List<Long> starts;
    private final BitSet used = new BitSet();
    private int group = -1;
    private List<KeyValueStore.Cursor> cursors = List.of();

    private Reader(List<Long> starts) {
      this.starts = starts;
      starts.forEach(start -> used.or(groups.getOrDefault(start, new BitSet())));
    }

    /** Leaves out key groups; before the first key. */
    public void skip(IntPredicate groupsToSkip) {
      for (int each = used.nextSetBit(0); each >= 0; each = used.nextSetBit(each + 1)) {
        if (groupsToSkip.test(each)) {
          used.clear(each);
        }
      }
    }

    /** Passes on the next key; false if there is none. */
    public boolean next(ContentConsumer out) {
      byte[] first = first();
      while (first == null) {
        group = used.nextSetBit(group + 1);
        if (group < 0) {
          close();
          used.clear();
          return false;
        }
        open();
        first = first();
      }
      List<Object> contents = new ArrayList<>(1);
      byte[] found = first;
      for (KeyValueStore.Cursor cursor : cursors) {
        if (cursor.isValid()) {
          byte[] key = cursor.key();
          if (Arrays.equals(key, PREFIX, key.length, found, PREFIX, found.length)) {
            contents.add(decode(cursor.value()));
            cursor.next();
          }
        }
      }
      out.accept(state.decodeKey(found, PREFIX), contents);
      return true;
    }

    private void open() {
      close();
      cursors = new ArrayList<>(starts.size());
      for (long start : starts) {
        if (!groups.getOrDefault(start, new BitSet()).get(group)) {
          continue;
        }
        byte[] from = StoreBytes.prefix(group, start);
        cursors.add(table.scan(from, StoreBytes.after(from)));
      }
    }

    /** The entry with the lowest key, null if there is none. */
    private byte[] first() {
      byte[] first = null;
      for (KeyValueStore.Cursor cursor : cursors) {
        if (cursor.isValid()) {
          byte[] key = cursor.key();
          if (first == null
              || Arrays.compareUnsigned(key, PREFIX, key.length, first, PREFIX, first.length) < 0) {
            first = key;
          }
        }
      }
      return first;
    }

    @Override
    public void close() {
      cursors.forEach(KeyValueStore.Cursor::close);
      cursors = List.of();
    }
  }
}
