package io.millrace.dataplane.state;

import java.util.Arrays;

/**
 * Objects by slot, in chunks, so that growing copies only the first, small chunk. {@link #freeze}
 * hands the directory of chunks to a snapshot; from then on until {@link #release} the first write
 * into a chunk of a snapshot copies the chunk.
 */
final class ObjectColumn {
  static final int CHUNK_BITS = 10;
  static final int CHUNK = 1 << CHUNK_BITS;
  static final int CHUNK_MASK = CHUNK - 1;
  private static final int INITIAL_CAPACITY = 16;

  /** A sink that prevents the compiler from removing the reads of {@link #touch}. */
  int touched;

  private Object[][] chunks = {new Object[INITIAL_CAPACITY]};

  /**
   * The directory of the last snapshot; null if all snapshots are released. The last one is enough:
   * a chunk that an earlier snapshot shares with this column is in the last one, too.
   */
  private Object[][] frozen;

  private int snapshots;

  Object get(int slot) {
    return chunks[slot >>> CHUNK_BITS][slot & CHUNK_MASK];
  }

  void set(int slot, Object value) {
    if (frozen != null) {
      unshare(slot >>> CHUNK_BITS);
    }
    chunks[slot >>> CHUNK_BITS][slot & CHUNK_MASK] = value;
  }

  private void unshare(int chunk) {
    if (chunk < frozen.length && frozen[chunk] == chunks[chunk]) {
      chunks[chunk] = chunks[chunk].clone();
    }
  }

  /** Hands all chunks to a snapshot, which may read them from another thread. */
  Object[][] freeze() {
    frozen = chunks.clone();
    snapshots++;
    return frozen;
  }

  /** A snapshot is written or given up. */
  void release() {
    if (--snapshots == 0) {
      frozen = null;
    }
  }

  /** Whether there is a snapshot that is not released. */
  boolean isFrozen() {
    return frozen != null;
  }

  /** Whether a snapshot has the object in a slot, which must not be changed in place then. */
  boolean isShared(int slot) {
    if (frozen == null || slot >>> CHUNK_BITS >= frozen.length) {
      return false;
    }
    Object[] chunk = frozen[slot >>> CHUNK_BITS];
    int at = slot & CHUNK_MASK;
    return at < chunk.length && chunk[at] != null && chunk[at] == get(slot);
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
