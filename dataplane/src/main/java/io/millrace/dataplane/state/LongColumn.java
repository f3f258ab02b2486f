package io.millrace.dataplane.state;

import java.util.Arrays;

/**
 * Numbers by slot, in chunks, so that growing copies only the first, small chunk. Snapshots share
 * chunks as those of {@link ObjectColumn} do.
 */
final class LongColumn {
  private static final int INITIAL_CAPACITY = 16;

  /** A sink that prevents the compiler from removing the reads of {@link #touch}. */
  long touched;

  private long[][] chunks = {new long[INITIAL_CAPACITY]};
  private int capacity = INITIAL_CAPACITY;
  private long[][] frozen;
  private int snapshots;

  long get(int slot) {
    return chunks[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK];
  }

  /** Stores a number; slots grow by one. */
  void set(int slot, long number) {
    if (slot >= capacity) {
      ensureCapacity(slot);
    }
    if (frozen != null) {
      unshare(slot >>> ObjectColumn.CHUNK_BITS);
    }
    chunks[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK] = number;
  }

  /** Stores a number at any slot. */
  void setAnywhere(int slot, long number) {
    while (slot >= capacity) {
      ensureCapacity(capacity);
    }
    set(slot, number);
  }

  private void unshare(int chunk) {
    if (chunk < frozen.length && frozen[chunk] == chunks[chunk]) {
      chunks[chunk] = chunks[chunk].clone();
    }
  }

  /** Hands all chunks to a snapshot, which may read them from another thread. */
  long[][] freeze() {
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

  /** Prefetches the values of these slots; negative ones are skipped. */
  void touch(int[] slots, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      if (slots[i] >= 0) {
        sum += get(slots[i]);
      }
    }
    touched = sum;
  }

  private void ensureCapacity(int slot) {
    if (slot < ObjectColumn.CHUNK) {
      capacity = ObjectColumn.firstChunkLength(slot);
      chunks[0] = Arrays.copyOf(chunks[0], capacity);
      return;
    }
    // At most one chunk is missing, because slots grow by one.
    int chunk = slot >>> ObjectColumn.CHUNK_BITS;
    if (chunk >= chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, chunks.length + chunks.length / 2));
    }
    chunks[chunk] = new long[ObjectColumn.CHUNK];
    capacity = (chunk + 1) << ObjectColumn.CHUNK_BITS;
  }
}
