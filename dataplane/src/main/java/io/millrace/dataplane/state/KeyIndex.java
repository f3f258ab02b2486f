package io.millrace.dataplane.state;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Finds the slot of a key. The table holds a slot and, in the bits that the slot leaves free, part
 * of the key's hash, so that a look at another key's memory is rare.
 */
final class KeyIndex {
  private static final int INITIAL = 32;

  private final KeyColumn keys = new KeyColumn();

  /** Zero, or the upper bits of a hash and a slot plus one. */
  private int[] table = new int[INITIAL];

  private int mask = INITIAL - 1;
  private int size;
  private int end;

  /** Slots below {@link #end} that have no key, the last one freed on top; null while none has. */
  private int[] freed;

  private int freedCount;

  private BitSet empty;

  /** Whether a snapshot has {@link #empty}, so that a copy has to be changed. */
  private boolean emptyShared;

  int size() {
    return size;
  }

  /** One above the highest slot in use. */
  int end() {
    return end;
  }

  Object key(int slot) {
    return keys.at(slot);
  }

  /**
   * The slot of a key, given now if it had none; {@link #size} tells. Keys that are numbers are
   * looked for and kept as such.
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
    enter(slot, hash);
    return slot;
  }

  /**
   * The slots of several keys, -1 for one that has none. In two rounds, so that none of the reads
   * from a large memory waits for another one.
   */
  void find(Object[] wanted, int count, int[] slots) {
    int[] entries = table;
    int low = mask;
    for (int i = 0; i < count; i++) {
      slots[i] = keys.hashOf(wanted[i]);
    }
    int used = 0;
    for (int i = 0; i < count; i++) {
      used += entries[slots[i] & low] == 0 ? 0 : 1;
    }
    for (int i = 0; i < count; i++) {
      slots[i] = used == 0 ? -1 : find(wanted[i], slots[i]);
    }
  }

  /** The slot of a key, -1 if it has none. */
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
    enter(slot, hash);
    return slot;
  }

  /** A slot for one more key, and room for it in the table. */
  private int newSlot() {
    if ((size + 1) * 4L > table.length * 3L) {
      rebuild(Math.multiplyExact(table.length, 2));
    }
    size++;
    if (freedCount > 0) {
      int slot = freed[--freedCount];
      ownEmpty();
      empty.clear(slot);
      return slot;
    }
    return end++;
  }

  private void enter(int slot, int hash) {
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
      enter(slot, keys.hashAt(slot));
    }
  }

  /** The first slot in use at or after this one, -1 if there is none. */
  int next(int from) {
    int slot = empty == null ? from : empty.nextClearBit(from);
    return slot < end ? slot : -1;
  }

  /** Frees a slot that is in use. */
  void remove(int slot) {
    int at = keys.hashAt(slot) & mask;
    while ((table[at] & mask) != slot + 1) {
      at = at + 1 & mask;
    }
    close(at);
    keys.forget(slot);
    size--;
    if (freed == null) {
      freed = new int[INITIAL];
      empty = new BitSet();
    } else if (freedCount == freed.length) {
      freed = Arrays.copyOf(freed, freedCount * 2);
    }
    freed[freedCount++] = slot;
    ownEmpty();
    empty.set(slot);
  }

  private void ownEmpty() {
    if (emptyShared) {
      emptyShared = false;
      empty = (BitSet) empty.clone();
    }
  }

  /** The keys as they are now. */
  FrozenKeys freeze() {
    emptyShared = empty != null;
    return keys.freeze(end, empty == null ? new BitSet(0) : empty);
  }

  /** Moves up what would no longer be found behind an empty place. */
  private void close(int gap) {
    int open = gap;
    for (int at = open + 1 & mask; table[at] != 0; at = at + 1 & mask) {
      int wanted = keys.hashAt((table[at] & mask) - 1) & mask;
      if ((at - wanted & mask) >= (at - open & mask)) {
        table[open] = table[at];
        open = at;
      }
    }
    table[open] = 0;
  }
}
