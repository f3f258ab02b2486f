package io.millrace.dataplane.store;

import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.store.KeyValueStore;
import java.util.Arrays;

/**
 * Timers in order of time, and within a time in order of keys. The time of the first timer of each
 * key group is in memory: a search begins there and does not pass the timers that were deleted
 * before.
 */
public final class StoredTimers {
  private final KeyValueStore.Table table;
  private final KeyGroupRange range;

  /** At or before the first timer of a group; {@link Long#MAX_VALUE} also if there is none. */
  private final long[] first;

  /** Whether the group has a timer at exactly {@link #first}. */
  private final boolean[] exact;

  private final boolean[] empty;

  /** The group with the first timer, -1 if it is not known. */
  private int next = -1;

  StoredTimers(StoredTable table, KeyGroupRange range) {
    this.table = table.table();
    this.range = range;
    this.first = new long[range.size()];
    this.exact = new boolean[range.size()];
    this.empty = new boolean[range.size()];
    Arrays.fill(first, Long.MIN_VALUE);
  }

  private static byte[] entry(long time, byte[] key) {
    byte[] prefix = StoreBytes.prefix(StoreBytes.groupOf(key), time);
    byte[] entry = Arrays.copyOf(prefix, prefix.length + key.length - StoreBytes.GROUP);
    System.arraycopy(key, StoreBytes.GROUP, entry, prefix.length, key.length - StoreBytes.GROUP);
    return entry;
  }

  /**
   * Adds a timer; one that exists stays.
   *
   * @param key with its group
   */
  public void add(long time, byte[] key) {
    table.put(entry(time, key), StoreBytes.NOTHING);
    int group = StoreBytes.groupOf(key) - range.first();
    if (empty[group] || time <= first[group]) {
      first[group] = time;
      exact[group] = true;
      empty[group] = false;
      next = -1;
    }
  }

  public void remove(long time, byte[] key) {
    table.delete(entry(time, key));
    int group = StoreBytes.groupOf(key) - range.first();
    if (!empty[group] && time == first[group]) {
      exact[group] = false;
      next = -1;
    }
  }

  /** Whether there is no timer. */
  public boolean isEmpty() {
    return find() < 0;
  }

  /** The earliest time. There must be a timer. */
  public long firstTime() {
    return first[find()];
  }

  /** Removes the first timer and returns its key with its group. There must be one. */
  public byte[] poll() {
    int group = find();
    int number = group + range.first();
    try (KeyValueStore.Cursor cursor =
        table.scan(StoreBytes.prefix(number, first[group]), StoreBytes.group(number + 1))) {
      byte[] entry = cursor.key();
      table.delete(entry);
      cursor.next();
      update(group, cursor);
      byte[] key = new byte[entry.length - Long.BYTES];
      System.arraycopy(entry, 0, key, 0, StoreBytes.GROUP);
      System.arraycopy(
          entry,
          StoreBytes.GROUP + Long.BYTES,
          key,
          StoreBytes.GROUP,
          key.length - StoreBytes.GROUP);
      return key;
    }
  }

  private void update(int group, KeyValueStore.Cursor cursor) {
    empty[group] = !cursor.isValid();
    exact[group] = cursor.isValid();
    first[group] = cursor.isValid() ? StoreBytes.time(cursor.key(), 0) : Long.MAX_VALUE;
    next = -1;
  }

  /** The group with the first timer, -1 if there is none. */
  private int find() {
    while (next < 0) {
      int best = -1;
      for (int group = 0; group < first.length; group++) {
        if (!empty[group] && (best < 0 || first[group] < first[best])) {
          best = group;
        }
      }
      if (best < 0) {
        return -1;
      }
      if (exact[best]) {
        next = best;
      } else {
        int number = best + range.first();
        try (KeyValueStore.Cursor cursor =
            table.scan(StoreBytes.prefix(number, first[best]), StoreBytes.group(number + 1))) {
          update(best, cursor);
        }
      }
    }
    return next;
  }
}
