package io.millrace.dataplane.state;

import io.millrace.dataplane.records.ValueCopier;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * The entries of a map state, in the order in which their keys were first put. Keys and values lie
 * in two arrays side by side. A few are searched one after the other; for more there is an index of
 * their places. A removed one leaves its place empty where there is an index, until the arrays are
 * full.
 */
final class EntryMap {
  private static final int FIRST = 2;

  /** Up to this many entries there is no index. */
  private static final int FEW = 8;

  private Object keys;
  private Object values;

  /** How many places are taken, empty ones among them included. */
  private int end;

  private int size;

  /**
   * Places plus one by hash, 0 where there is none; bytes, shorts or ints; null for few entries.
   */
  private Object index;

  /** By place, a bit that says that it is empty; null while none is. */
  private long[] empty;

  /** Whether a snapshot may have some of the values. */
  private boolean valuesShared;

  /** Tells who reads that something has changed. */
  private int changes;

  int size() {
    return size;
  }

  /** How many places there are, for entries to come included. */
  int places() {
    return keys == null ? 0 : PrimitiveArrays.length(keys);
  }

  Object get(Object key) {
    int at = find(key);
    return at < 0 ? null : PrimitiveArrays.get(values, at);
  }

  boolean contains(Object key) {
    return find(key) >= 0;
  }

  void put(Object key, Object value) {
    if (keys == null) {
      keys = PrimitiveArrays.make(key, FIRST);
      values = PrimitiveArrays.make(value, FIRST);
    }
    int at = find(key);
    if (!PrimitiveArrays.fits(values, value)) {
      values = PrimitiveArrays.generalised(values, end);
    }
    if (at >= 0) {
      PrimitiveArrays.set(values, at, value);
      return;
    }
    if (!PrimitiveArrays.fits(keys, key)) {
      keys = PrimitiveArrays.generalised(keys, end);
    }
    if (end == PrimitiveArrays.length(keys)) {
      makeRoom();
    }
    PrimitiveArrays.set(keys, end, key);
    PrimitiveArrays.set(values, end, value);
    end++;
    size++;
    changes++;
    if (index != null) {
      enter(end - 1);
    } else if (end > FEW) {
      rebuild();
    }
  }

  /** Removes an entry; false if there is none. */
  boolean remove(Object key) {
    int at = find(key);
    if (at < 0) {
      return false;
    }
    size--;
    changes++;
    if (index == null) {
      PrimitiveArrays.move(keys, at + 1, at, end - at - 1);
      PrimitiveArrays.move(values, at + 1, at, end - at - 1);
      end--;
      forget(end);
      return true;
    }
    leave(at);
    forget(at);
    if (empty == null) {
      empty = new long[PrimitiveArrays.length(keys) + 63 >>> 6];
    }
    empty[at >>> 6] |= 1L << at;
    return true;
  }

  private void forget(int at) {
    PrimitiveArrays.clear(keys, at);
    PrimitiveArrays.clear(values, at);
  }

  private boolean isEmpty(int at) {
    return empty != null && (empty[at >>> 6] & 1L << at) != 0;
  }

  /** Closes up if that makes enough room, else grows. */
  private void makeRoom() {
    if (end - size <= end / 4) {
      int length = end + end / 2 + 1;
      keys = PrimitiveArrays.resized(keys, length);
      values = PrimitiveArrays.resized(values, length);
      if (empty != null) {
        empty = Arrays.copyOf(empty, length + 63 >>> 6);
      }
      // Made anew for the places that there are now.
      index = null;
      return;
    }
    int to = 0;
    for (int at = 0; at < end; at++) {
      if (!isEmpty(at)) {
        PrimitiveArrays.move(keys, at, to, 1);
        PrimitiveArrays.move(values, at, to, 1);
        to++;
      }
    }
    for (int at = to; at < end; at++) {
      forget(at);
    }
    end = to;
    empty = null;
    index = null;
    if (end > FEW) {
      rebuild();
    }
  }

  /** A map that can be changed without a change of this one; values are the same objects. */
  EntryMap copy() {
    EntryMap copy = new EntryMap();
    int places = places();
    copy.keys = PrimitiveArrays.resized(keys, places);
    copy.values = PrimitiveArrays.resized(values, places);
    copy.valuesShared = values instanceof Object[];
    copy.end = end;
    copy.size = size;
    copy.empty = empty == null ? null : empty.clone();
    if (index != null) {
      copy.rebuild();
    }
    return copy;
  }

  /** Copies values that a program may change in place and that are in a snapshot, too. */
  void ownValues(ValueCopier copier) {
    if (valuesShared) {
      valuesShared = false;
      values = copier.copyElements(values, end);
    }
  }

  // --- finding

  private int hashAt(int at) {
    if (keys instanceof long[] longs) {
      return KeyColumn.hash(longs[at]);
    } else if (keys instanceof int[] ints) {
      return KeyColumn.hash(ints[at]);
    }
    return hash(PrimitiveArrays.get(keys, at));
  }

  /** The same for a key wherever it lies, and better spread than what numbers say of themselves. */
  private static int hash(Object key) {
    if (key instanceof Long number) {
      return KeyColumn.hash((long) number);
    } else if (key instanceof Integer number) {
      return KeyColumn.hash((long) number);
    } else if (key instanceof Double number) {
      return KeyColumn.hash(Double.doubleToLongBits(number));
    }
    return KeyColumn.hash((long) KeyColumn.hashCode(key));
  }

  private boolean isAt(int at, Object key) {
    if (keys instanceof long[] longs) {
      return key instanceof Long number && longs[at] == number;
    } else if (keys instanceof int[] ints) {
      return key instanceof Integer number && ints[at] == number;
    }
    return KeyColumn.equal(PrimitiveArrays.get(keys, at), key);
  }

  /** The place of a key, -1 if there is none. */
  private int find(Object key) {
    if (index == null) {
      for (int at = 0; at < end; at++) {
        if (isAt(at, key)) {
          return at;
        }
      }
      return -1;
    }
    int mask = indexLength() - 1;
    int bucket = hash(key) & mask;
    int entry;
    while ((entry = entryAt(bucket)) != 0) {
      if (isAt(entry - 1, key)) {
        return entry - 1;
      }
      bucket = bucket + 1 & mask;
    }
    return -1;
  }

  private void rebuild() {
    int length = Integer.highestOneBit(PrimitiveArrays.length(keys)) << 1;
    if (length * 3L < PrimitiveArrays.length(keys) * 4L) {
      length = Math.multiplyExact(length, 2);
    }
    // It serves until the arrays grow: all of their places fit, not only those in use.
    index =
        PrimitiveArrays.length(keys) < 1 << 8
            ? new byte[length]
            : PrimitiveArrays.length(keys) < 1 << 16 ? (Object) new short[length] : new int[length];
    for (int at = 0; at < end; at++) {
      if (!isEmpty(at)) {
        enter(at);
      }
    }
  }

  private void enter(int at) {
    int mask = indexLength() - 1;
    int bucket = hashAt(at) & mask;
    while (entryAt(bucket) != 0) {
      bucket = bucket + 1 & mask;
    }
    entryAt(bucket, at + 1);
  }

  /** Takes a place out of the index and moves up what would no longer be found behind the gap. */
  private void leave(int place) {
    int mask = indexLength() - 1;
    int open = hashAt(place) & mask;
    while (entryAt(open) != place + 1) {
      open = open + 1 & mask;
    }
    int entry;
    for (int at = open + 1 & mask; (entry = entryAt(at)) != 0; at = at + 1 & mask) {
      int wanted = hashAt(entry - 1) & mask;
      if ((at - wanted & mask) >= (at - open & mask)) {
        entryAt(open, entry);
        open = at;
      }
    }
    entryAt(open, 0);
  }

  private int indexLength() {
    if (index instanceof byte[] bytes) {
      return bytes.length;
    } else if (index instanceof short[] shorts) {
      return shorts.length;
    }
    return ((int[]) index).length;
  }

  private int entryAt(int bucket) {
    if (index instanceof byte[] bytes) {
      return bytes[bucket] & 0xFF;
    } else if (index instanceof short[] shorts) {
      return shorts[bucket] & 0xFFFF;
    }
    return ((int[]) index)[bucket];
  }

  private void entryAt(int bucket, int entry) {
    if (index instanceof byte[] bytes) {
      bytes[bucket] = (byte) entry;
    } else if (index instanceof short[] shorts) {
      shorts[bucket] = (short) entry;
    } else {
      ((int[]) index)[bucket] = entry;
    }
  }

  // --- reading

  /** A look at the entries, as they are whenever they are looked at. */
  Map<Object, Object> read() {
    return new Look();
  }

  private final class Look extends AbstractMap<Object, Object> {
    @Override
    public int size() {
      return size;
    }

    @Override
    public Object get(Object key) {
      return EntryMap.this.get(key);
    }

    @Override
    public boolean containsKey(Object key) {
      return contains(key);
    }

    @Override
    public Set<Map.Entry<Object, Object>> entrySet() {
      return new AbstractSet<>() {
        @Override
        public int size() {
          return size;
        }

        @Override
        public Iterator<Map.Entry<Object, Object>> iterator() {
          return new Walk();
        }
      };
    }
  }

  private final class Walk implements Iterator<Map.Entry<Object, Object>> {
    private final int seen = changes;
    private int next = from(0);

    private int from(int at) {
      int place = at;
      while (place < end && EntryMap.this.isEmpty(place)) {
        place++;
      }
      return place;
    }

    @Override
    public boolean hasNext() {
      return next < end;
    }

    @Override
    public Map.Entry<Object, Object> next() {
      if (seen != changes) {
        throw new ConcurrentModificationException(
            "A map state was changed while its entries were read");
      }
      if (next >= end) {
        throw new NoSuchElementException();
      }
      int at = next;
      next = from(at + 1);
      return new AbstractMap.SimpleImmutableEntry<>(
          PrimitiveArrays.get(keys, at), PrimitiveArrays.get(values, at));
    }
  }
}
