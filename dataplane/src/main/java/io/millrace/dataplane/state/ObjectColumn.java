package io.millrace.dataplane.state;

import java.util.Arrays;

/** Objects by slot, in chunks, so that growing copies only the first, small chunk. */
final class ObjectColumn {
  static final int CHUNK_BITS = 10;
  static final int CHUNK = 1 << CHUNK_BITS;
  static final int CHUNK_MASK = CHUNK - 1;
  private static final int INITIAL_CAPACITY = 16;

  /** A sink that prevents the compiler from removing the reads of {@link #touch}. */
  int touched;

  private Object[][] chunks = {new Object[INITIAL_CAPACITY]};

  Object get(int slot) {
    return chunks[slot >>> CHUNK_BITS][slot & CHUNK_MASK];
  }

  void set(int slot, Object value) {
    chunks[slot >>> CHUNK_BITS][slot & CHUNK_MASK] = value;
  }

  /** Prefetches the values of these slots; negative ones are skipped. */
  void touch(int[] slots, int count) {
    Object[][] all = chunks;
    int plain = 0;
    for (int i = 0; i < count; i++) {
      int slot = slots[i];
      if (slot >= 0) {
        Object value = all[slot >>> CHUNK_BITS][slot & CHUNK_MASK];
        if (value == null || value.getClass() == Object.class) {
          plain++;
        }
      }
    }
    touched = plain;
  }

  /** Makes room for a slot. */
  void ensureCapacity(int slot) {
    int chunk = slot >>> CHUNK_BITS;
    if (chunk == 0) {
      if (slot >= chunks[0].length) {
        chunks[0] = Arrays.copyOf(chunks[0], firstChunkLength(slot));
      }
      return;
    }
    if (chunks[0].length < CHUNK) {
      chunks[0] = Arrays.copyOf(chunks[0], CHUNK);
    }
    if (chunk >= chunks.length) {
      int oldLength = chunks.length;
      chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, oldLength + oldLength / 2));
      Arrays.fill(chunks, oldLength, chunks.length, new Object[0]);
    }
    for (int i = chunk; i > 0 && chunks[i].length == 0; i--) {
      chunks[i] = new Object[CHUNK];
    }
  }

  /** The length of a first chunk that contains this slot. */
  static int firstChunkLength(int slot) {
    return Math.max(INITIAL_CAPACITY, Integer.highestOneBit(slot) << 1);
  }
}
