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
 * The entries of a map state, in the order in which their keys were first put. Keys and values are
 * in two parallel arrays. Few entries are searched linearly; for more there is a hash index of
 * positions. With an index, a removed entry leaves its position empty until the arrays are full.
 */
final class EntryMap {
  private static final int INITIAL_CAPACITY = 2;

  /** Up to this number of entries there is no index. */
  private static final int MAX_LINEAR = 8;

  private Object keys;
  private Object values;

  /** The number of used positions, including empty ones. */
  private int end;

  private int size;

  /**
   * A hash table of positions plus one, 0 for an empty bucket; bytes, shorts or ints; null for few
   * entries.
   */
  private Object index;

  /** A bit per position that is set if it is empty; null if none is. */
  private long[] empty;

  /** Whether a snapshot may have some of the values. */
  private boolean valuesShared;

  /** Counts structural changes, for iterators. */
  private int changes;

  int size() {
    return size;
  }

  /** The capacity of the arrays. */
  int capacity() {
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
      keys = PrimitiveArrays.make(key, INITIAL_CAPACITY);
      values = PrimitiveArrays.make(value, INITIAL_CAPACITY);
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
      addToIndex(end - 1);
    } else if (end > MAX_LINEAR) {
      rebuild();
    }
  }

  /** Removes an entry; returns false if there is none. */
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
      clear(end);
      return true;
    }
    removeFromIndex(at);
    clear(at);
    if (empty == null) {
      empty = new long[PrimitiveArrays.length(keys) + 63 >>> 6];
    }
    empty[at >>> 6] |= 1L << at;
    return true;
  }

  private void clear(int at) {
    PrimitiveArrays.clear(keys, at);
    PrimitiveArrays.clear(values, at);
  }

  private boolean isEmpty(int at) {
    return empty != null && (empty[at >>> 6] & 1L << at) != 0;
  }

  /** Compacts the arrays if that frees enough positions; otherwise grows them. */
  private void makeRoom() {
    if (end - size <= end / 4) {
      int length = end + end / 2 + 1;
      keys = PrimitiveArrays.resized(keys, length);
      values = PrimitiveArrays.resized(values, length);
      if (empty != null) {
        empty = Arrays.copyOf(empty, length + 63 >>> 6);
      }
      // The index is rebuilt for the new capacity.
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
      clear(at);
    }
    end = to;
    empty = null;
    index = null;
    if (end > MAX_LINEAR) {
      rebuild();
    }
  }

  /** A map that can be changed without a change of this one; values are the same objects. */
  EntryMap copy() {
    EntryMap copy = new EntryMap();
    int places = capacity();
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

  // --- lookup

  private int hashAt(int at) {
    if (keys instanceof long[] longs) {
      return KeyColumn.hash(longs[at]);
    } else if (keys instanceof int[] ints) {
      return KeyColumn.hash(ints[at]);
    }
    return hash(PrimitiveArrays.get(keys, at));
  }

  /**
   * The hash of a key is independent of the array type. It is better distributed than the hash
   * codes of numbers.
   */
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

  /** The position of a key, -1 if there is none. */
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
    // The index lasts until the arrays grow, so it has room for all positions, not only used ones.
    index =
        PrimitiveArrays.length(keys) < 1 << 8
            ? new byte[length]
            : PrimitiveArrays.length(keys) < 1 << 16 ? (Object) new short[length] : new int[length];
    for (int at = 0; at < end; at++) {
      if (!isEmpty(at)) {
        addToIndex(at);
      }
    }
  }

  private void addToIndex(int at) {
    int mask = indexLength() - 1;
    int bucket = hashAt(at) & mask;
    while (entryAt(bucket) != 0) {
      bucket = bucket + 1 & mask;
    }
    entryAt(bucket, at + 1);
  }

  /**
   * Removes a position from the index and moves entries back that would not be found behind the
   * gap.
   */
  private void removeFromIndex(int place) {
    int mask = indexLength() - 1;
    int gap = hashAt(place) & mask;
    while (entryAt(gap) != place + 1) {
      gap = gap + 1 & mask;
    }
    int entry;
    for (int at = gap + 1 & mask; (entry = entryAt(at)) != 0; at = at + 1 & mask) {
      int home = hashAt(entry - 1) & mask;
      if ((at - home & mask) >= (at - gap & mask)) {
        entryAt(gap, entry);
        gap = at;
      }
    }
    entryAt(gap, 0);
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

  // --- iteration

  /** A live view of the entries. */
  Map<Object, Object> read() {
    return new View();
  }

  private final class View extends AbstractMap<Object, Object> {
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
          return new EntryIterator();
        }
      };
    }
  }

  private final class EntryIterator implements Iterator<Map.Entry<Object, Object>> {
    private final int expectedChanges = changes;
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
      if (expectedChanges != changes) {
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
