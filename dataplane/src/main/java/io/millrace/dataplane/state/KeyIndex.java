package io.millrace.dataplane.state;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Maps keys to slots. An entry of the table holds a slot and, in the remaining bits, part of the
 * hash of the key, so that other keys are rarely compared.
 */
final class KeyIndex {
  private static final int INITIAL_CAPACITY = 32;

  private final KeyColumn keys = new KeyColumn();

  /** 0, or the upper bits of a hash and a slot plus one. */
  private int[] table = new int[INITIAL_CAPACITY];

  private int mask = INITIAL_CAPACITY - 1;
  private int size;
  private int end;

  /** A stack of slots below {@link #end} without a key; null if there is none. */
  private int[] freeSlots;

  private int freeCount;

  private BitSet empty;

  int size() {
    return size;
  }

  /** One above the highest used slot. */
  int end() {
    return end;
  }

  Object key(int slot) {
    return keys.at(slot);
  }

  /**
   * The slot of a key, which is assigned if the key is new; {@link #size} shows whether it was.
   * Numbers are stored unboxed.
   */
  int slot(Object key) {
    if (key instanceof Long number && keys.areLongs()) {
      return slotOfNumber(number);
    }
    if (key instanceof Integer number && keys.areInts()) {
      return slotOfNumber(number);
    }
    return slotOfObject(key);
  }

  private int slotOfObject(Object key) {
    if (!keys.fits(key)) {
      keys.generalise(end);
      rebuild(table.length);
    }
    int hash = keys.hashOf(key);
    int tag = hash & ~mask;
    int at = hash & mask;
    int entry;
    while ((entry = table[at]) != 0) {
      if ((entry & ~mask) == tag && keys.isAt((entry & mask) - 1, key)) {
        return (entry & mask) - 1;
      }
      at = at + 1 & mask;
    }
    int slot = newSlot();
    keys.put(slot, key);
    insert(slot, hash);
    return slot;
  }

  /**
   * The slots of several keys, -1 for a missing key. Works in two passes, so that memory accesses
   * of different keys overlap.
   */
  void find(Object[] home, int count, int[] slots) {
    int[] entries = table;
    int low = mask;
    for (int i = 0; i < count; i++) {
      slots[i] = keys.hashOf(home[i]);
    }
    int used = 0;
    for (int i = 0; i < count; i++) {
      used += entries[slots[i] & low] == 0 ? 0 : 1;
    }
    for (int i = 0; i < count; i++) {
      slots[i] = used == 0 ? -1 : find(home[i], slots[i]);
    }
  }

  /** The slot of a key, -1 if it is missing. */
  int find(Object key) {
    return find(key, keys.hashOf(key));
  }

  private int find(Object key, int hash) {
    if (!keys.fits(key)) {
      return -1;
    }
    int tag = hash & ~mask;
    int at = hash & mask;
    int entry;
    while ((entry = table[at]) != 0) {
      if ((entry & ~mask) == tag && keys.isAt((entry & mask) - 1, key)) {
        return (entry & mask) - 1;
      }
      at = at + 1 & mask;
    }
    return -1;
  }

  private int slotOfNumber(long number) {
    int[] slots = table;
    int low = mask;
    int hash = KeyColumn.hash(number);
    int tag = hash & ~low;
    int at = hash & low;
    int entry;
    while ((entry = slots[at]) != 0) {
      if ((entry & ~low) == tag && keys.number((entry & low) - 1) == number) {
        return (entry & low) - 1;
      }
      at = at + 1 & low;
    }
    return addNumber(number, hash);
  }

  private int addNumber(long number, int hash) {
    int slot = newSlot();
    keys.put(slot, number);
    insert(slot, hash);
    return slot;
  }

  /** A slot for a new key. Makes room in the table. */
  private int newSlot() {
    if ((size + 1) * 4L > table.length * 3L) {
      rebuild(Math.multiplyExact(table.length, 2));
    }
    size++;
    if (freeCount > 0) {
      int slot = freeSlots[--freeCount];
      empty.clear(slot);
      return slot;
    }
    return end++;
  }

  private void insert(int slot, int hash) {
    int at = hash & mask;
    while (table[at] != 0) {
      at = at + 1 & mask;
    }
    table[at] = hash & ~mask | slot + 1;
  }

  private void rebuild(int length) {
    table = new int[length];
    mask = length - 1;
    for (int slot = next(0); slot >= 0; slot = next(slot + 1)) {
      insert(slot, keys.hashAt(slot));
    }
  }

  /** The first used slot at or after this one, -1 if there is none. */
  int next(int from) {
    int slot = empty == null ? from : empty.nextClearBit(from);
    return slot < end ? slot : -1;
  }

  /** Removes the key of a used slot. */
  void remove(int slot) {
    int at = keys.hashAt(slot) & mask;
    while ((table[at] & mask) != slot + 1) {
      at = at + 1 & mask;
    }
    closeGap(at);
    keys.clear(slot);
    size--;
    if (freeSlots == null) {
      freeSlots = new int[INITIAL_CAPACITY];
      empty = new BitSet();
    } else if (freeCount == freeSlots.length) {
      freeSlots = Arrays.copyOf(freeSlots, freeCount * 2);
    }
    freeSlots[freeCount++] = slot;
    empty.set(slot);
  }

  /** Moves entries back that would not be found behind the gap. */
  private void closeGap(int gap) {
    int hole = gap;
    for (int at = hole + 1 & mask; table[at] != 0; at = at + 1 & mask) {
      int home = keys.hashAt((table[at] & mask) - 1) & mask;
      if ((at - home & mask) >= (at - hole & mask)) {
        table[hole] = table[at];
        hole = at;
      }
    }
    table[hole] = 0;
  }
}
