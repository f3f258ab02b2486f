package io.millrace.dataplane.state;

import java.util.BitSet;
import java.util.function.IntFunction;

/**
 * The keys of a table at the moment of a snapshot. One thread at a time reads it; {@link #release}
 * belongs to the task's step.
 */
public final class FrozenKeys {
  private final int end;
  private final BitSet empty;
  private final IntFunction<Object> keys;
  private final Runnable release;

  FrozenKeys(int end, BitSet empty, IntFunction<Object> keys, Runnable release) {
    this.end = end;
    this.empty = empty;
    this.keys = keys;
    this.release = release;
  }

  /** One above the highest slot with a key. */
  public int end() {
    return end;
  }

  /** The first slot with a key at or after this one, -1 if there is none. */
  public int next(int from) {
    int slot = empty.nextClearBit(from);
    return slot < end ? slot : -1;
  }

  public Object key(int slot) {
    return keys.apply(slot);
  }

  void release() {
    release.run();
  }
}
