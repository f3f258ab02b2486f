package io.millrace.dataplane.state;

/**
 * A {@link KeyTable} at the moment of a snapshot. One thread at a time reads it; {@link #release}
 * belongs to the task's step.
 */
public final class FrozenTable {
  private final FrozenKeys keys;
  private final Object[][] values;
  private final Runnable releaseValues;

  FrozenTable(FrozenKeys keys, Object[][] values, Runnable releaseValues) {
    this.keys = keys;
    this.values = values;
    this.releaseValues = releaseValues;
  }

  public FrozenKeys keys() {
    return keys;
  }

  /** The value of a slot with a key; null if it has none. */
  public Object value(int slot) {
    return values[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK];
  }

  /** Ends the protection of keys and values. */
  public void release() {
    keys.release();
    releaseValues.run();
  }

  /** The table as a state without a namespace. */
  public TablePart asState(StateInfo info) {
    return asState(info, 0, 0);
  }

  /** The table as the part of a state that belongs to one window. */
  public TablePart asState(StateInfo info, long start, long end) {
    return new TablePart() {
      @Override
      public StateInfo info() {
        return info;
      }

      @Override
      public FrozenKeys keys() {
        return keys;
      }

      @Override
      public void entries(int slot, EntryConsumer out) {
        Object value = value(slot);
        if (value != null) {
          out.accept(start, end, value);
        }
      }

      @Override
      public void release() {
        FrozenTable.this.release();
      }
    };
  }
}
