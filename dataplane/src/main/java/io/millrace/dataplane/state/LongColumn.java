package io.millrace.dataplane.state;

import java.util.Arrays;

/**
 * Numbers by slot, in chunks, so that growing copies nothing but a first, small chunk. Snapshots
 * share chunks as those of {@link ObjectColumn} do.
 */
final class LongColumn {
  private static final int FIRST = 16;

  /** Keeps the compiler from leaving out what {@link #touch} reads. */
  long touched;

  private long[][] chunks = {new long[FIRST]};
  private int reached = FIRST;
  private long[][] frozen;
  private int snapshots;

  long get(int slot) {
    return chunks[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK];
  }

  /** Puts a number; slots are reached one after the other. */
  void set(int slot, long number) {
    if (slot >= reached) {
      reach(slot);
    }
    if (frozen != null) {
      unshare(slot >>> ObjectColumn.CHUNK_BITS);
    }
    chunks[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK] = number;
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

  /** Fetches what is in these slots; negative ones are left out. */
  void touch(int[] slots, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      if (slots[i] >= 0) {
        sum += get(slots[i]);
      }
    }
    touched = sum;
  }

  private void reach(int slot) {
    if (slot < ObjectColumn.CHUNK) {
      reached = ObjectColumn.lengthOfFirst(slot);
      chunks[0] = Arrays.copyOf(chunks[0], reached);
      return;
    }
    // At most one chunk is missing, because nobody leaves slots out.
    int chunk = slot >>> ObjectColumn.CHUNK_BITS;
    if (chunk >= chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, chunks.length + chunks.length / 2));
    }
    chunks[chunk] = new long[ObjectColumn.CHUNK];
    reached = (chunk + 1) << ObjectColumn.CHUNK_BITS;
  }
}
