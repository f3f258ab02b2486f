package io.millrace.dataplane.state;

import java.util.Arrays;

/** Numbers by slot, in chunks, so that growing copies nothing but a first, small chunk. */
final class LongColumn {
  private static final int FIRST = 16;

  /** Keeps the compiler from leaving out what {@link #touch} reads. */
  long touched;

  private long[][] chunks = {new long[FIRST]};
  private int reached = FIRST;

  long get(int slot) {
    return chunks[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK];
  }

  /** Puts a number; slots are reached one after the other. */
  void set(int slot, long number) {
    if (slot >= reached) {
      reach(slot);
    }
    chunks[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK] = number;
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
