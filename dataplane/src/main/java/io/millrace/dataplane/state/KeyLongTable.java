package io.millrace.dataplane.state;

/** A number per key, initially 0. Keys are not removed. */
public final class KeyLongTable {
  private final KeyIndex index = new KeyIndex();
  private final LongColumn numbers = new LongColumn();

  public int size() {
    return index.size();
  }

  /** The slot of a key, which is created if it is missing. */
  public int slot(Object key) {
    int before = index.end();
    int slot = index.slot(key);
    if (slot == before) {
      numbers.set(slot, 0);
    }
    return slot;
  }

  /** The slots of several keys; prefetches their numbers, see {@link KeyTable#find}. */
  public void find(Object[] keys, int count, int[] slots) {
    index.find(keys, count, slots);
    numbers.touch(slots, count);
  }

  public Object key(int slot) {
    return index.key(slot);
  }

  public long number(int slot) {
    return numbers.get(slot);
  }

  public void number(int slot, long number) {
    numbers.set(slot, number);
  }

  /**
   * The keys and numbers as they are now, as a state.
   *
   * @param name of the state
   */
  public TablePart freeze(String name) {
    FrozenKeys keys = index.freeze();
    long[][] chunks = numbers.freeze();
    return new TablePart() {
      @Override
      public StateInfo info() {
        return new StateInfo(name, StateKind.AGGREGATING, false);
      }

      @Override
      public FrozenKeys keys() {
        return keys;
      }

      @Override
      public void entries(int slot, EntryConsumer out) {
        out.accept(0, 0, chunks[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK]);
      }

      @Override
      public void release() {
        keys.release();
        numbers.release();
      }
    };
  }
}
