package io.millrace.dataplane;

/**
 * The state of a keyed operator: keys and values side by side in one open-addressed table. A key's
 * group follows from the key, so the table needs no division by group until it is written out.
 */
final class KeyedTable {
  private static final int INITIAL = 16;

  private Object[] slots = new Object[INITIAL * 2];
  private int mask = INITIAL - 1;
  private int size;

  int size() {
    return size;
  }

  /** The position of a key's entry, made now if there was none; its value is null then. */
  int find(Object key) {
    int hash = key.hashCode() * 0x9E3779B9;
    int slot = (hash ^ hash >>> 16) & mask;
    while (true) {
      Object there = slots[slot * 2];
      if (there == null) {
        if ((size + 1) * 4 > (mask + 1) * 3) {
          grow();
          return find(key);
        }
        slots[slot * 2] = key;
        size++;
        return slot;
      }
      if (there == key || there.equals(key)) {
        return slot;
      }
      slot = slot + 1 & mask;
    }
  }

  Object value(int slot) {
    return slots[slot * 2 + 1];
  }

  void value(int slot, Object value) {
    slots[slot * 2 + 1] = value;
  }

  /** The first used position at or after this one, -1 if there is none. */
  int next(int from) {
    for (int slot = from; slot <= mask; slot++) {
      if (slots[slot * 2] != null) {
        return slot;
      }
    }
    return -1;
  }

  private void grow() {
    Object[] old = slots;
    int capacity = Math.multiplyExact(mask + 1, 2);
    slots = new Object[Math.multiplyExact(capacity, 2)];
    mask = capacity - 1;
    for (int i = 0; i < old.length; i += 2) {
      if (old[i] != null) {
        int hash = old[i].hashCode() * 0x9E3779B9;
        int slot = (hash ^ hash >>> 16) & mask;
        while (slots[slot * 2] != null) {
          slot = slot + 1 & mask;
        }
        slots[slot * 2] = old[i];
        slots[slot * 2 + 1] = old[i + 1];
      }
    }
  }
}
