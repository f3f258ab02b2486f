package io.millrace.dataplane.state;

/** A value per key. */
public final class KeyTable {
  private final KeyIndex index = new KeyIndex();
  private final ObjectColumn values = new ObjectColumn();
  private int capacity;

  public int size() {
    return index.size();
  }

  /** The slot of a key, which is created with a null value if it is missing. */
  public int slot(Object key) {
    int slot = index.slot(key);
    if (slot >= capacity) {
      values.ensureCapacity(slot);
      capacity = slot + 1;
    }
    return slot;
  }

  /**
   * The slots of several keys, -1 for a missing key. Prefetches the values: the memory accesses
   * overlap before a value is needed.
   */
  public void find(Object[] keys, int count, int[] slots) {
    index.find(keys, count, slots);
    values.touch(slots, count);
  }

  /** The slot of a key, -1 if it is missing. */
  public int find(Object key) {
    return index.find(key);
  }

  public Object key(int slot) {
    return index.key(slot);
  }

  public Object value(int slot) {
    return values.get(slot);
  }

  public void value(int slot, Object value) {
    values.set(slot, value);
  }

  /** The first used slot at or after this one, -1 if there is none. */
  public int next(int from) {
    return index.next(from);
  }

  /** Removes a key; its slot may be assigned to another one. */
  public void remove(int slot) {
    index.remove(slot);
    values.set(slot, null);
  }
}
