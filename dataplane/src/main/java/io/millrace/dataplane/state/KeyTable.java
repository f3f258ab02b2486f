package io.millrace.dataplane.state;

/** One value a key. */
public final class KeyTable {
  private final KeyIndex index = new KeyIndex();
  private final ObjectColumn values = new ObjectColumn();
  private int reached;

  public int size() {
    return index.size();
  }

  /** The slot of a key, made now if there was none; its value is null then. */
  public int slot(Object key) {
    int slot = index.slot(key);
    if (slot >= reached) {
      values.reach(slot);
      reached = slot + 1;
    }
    return slot;
  }

  /**
   * The slots of several keys, -1 for one that is not there. What a key holds is fetched, too: the
   * memory is asked for all of them before an answer is needed.
   */
  public void find(Object[] keys, int count, int[] slots) {
    index.find(keys, count, slots);
    values.touch(slots, count);
  }

  /** The slot of a key, -1 if it is not there. */
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

  /** The first slot in use at or after this one, -1 if there is none. */
  public int next(int from) {
    return index.next(from);
  }

  /** Forgets a key; its slot may be given to another one. */
  public void remove(int slot) {
    index.remove(slot);
    values.set(slot, null);
  }
}
