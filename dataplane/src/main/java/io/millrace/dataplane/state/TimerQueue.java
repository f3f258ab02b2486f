package io.millrace.dataplane.state;

import java.util.Arrays;

/**
 * A priority queue of times with slots, ordered by time and then by slot. A pair of time and slot
 * occurs once. A deleted timer keeps its position in the heap and is skipped later; the heap is
 * rebuilt when most positions are of deleted timers.
 */
public final class TimerQueue {
  private static final int INITIAL_CAPACITY = 16;

  private long[] times = new long[INITIAL_CAPACITY];
  private int[] slots = new int[INITIAL_CAPACITY];
  private int heapSize;

  /** A hash set of the valid timers, as pairs of time and slot plus one; 0 for an empty bucket. */
  private long[] table = new long[INITIAL_CAPACITY * 4];

  private int mask = INITIAL_CAPACITY * 2 - 1;
  private int size;

  public boolean isEmpty() {
    return size == 0;
  }

  public int size() {
    return size;
  }

  /** The number of positions of the heap, including deleted timers. */
  int heapSize() {
    return heapSize;
  }

  /** Adds a timer; returns false if it exists. */
  public boolean add(long time, int slot) {
    int at = find(time, slot);
    if (table[at * 2 + 1] != 0) {
      return false;
    }
    if ((size + 1) * 4L > (mask + 1) * 3L) {
      grow();
      at = find(time, slot);
    }
    table[at * 2] = time;
    table[at * 2 + 1] = slot + 1L;
    size++;
    if (heapSize == times.length) {
      times = Arrays.copyOf(times, heapSize * 2);
      slots = Arrays.copyOf(slots, heapSize * 2);
    }
    siftUp(heapSize++, time, slot);
    return true;
  }

  /** Deletes a timer; returns false if it does not exist. */
  public boolean remove(long time, int slot) {
    if (!removeFromSet(time, slot)) {
      return false;
    }
    if (heapSize > 2 * size + INITIAL_CAPACITY) {
      rebuildHeap();
    }
    return true;
  }

  /** The earliest time. The queue must not be empty. */
  public long firstTime() {
    removeDeleted();
    return times[0];
  }

  /** Removes the first timer and returns its slot. The queue must not be empty. */
  public int poll() {
    removeDeleted();
    int slot = slots[0];
    removeFromSet(times[0], slot);
    removeFirst();
    return slot;
  }

  private void removeDeleted() {
    while (table[find(times[0], slots[0]) * 2 + 1] == 0) {
      removeFirst();
    }
  }

  private void removeFirst() {
    heapSize--;
    siftDown(0, times[heapSize], slots[heapSize]);
  }

  private void siftUp(int from, long time, int slot) {
    int at = from;
    while (at > 0) {
      int parent = at - 1 >>> 1;
      if (!isBefore(time, slot, times[parent], slots[parent])) {
        break;
      }
      times[at] = times[parent];
      slots[at] = slots[parent];
      at = parent;
    }
    times[at] = time;
    slots[at] = slot;
  }

  private void siftDown(int from, long time, int slot) {
    int at = from;
    while (true) {
      int child = at * 2 + 1;
      if (child >= heapSize) {
        break;
      }
      int right = child + 1;
      if (right < heapSize && isBefore(times[right], slots[right], times[child], slots[child])) {
        child = right;
      }
      if (!isBefore(times[child], slots[child], time, slot)) {
        break;
      }
      times[at] = times[child];
      slots[at] = slots[child];
      at = child;
    }
    times[at] = time;
    slots[at] = slot;
  }

  private static boolean isBefore(long time, int slot, long otherTime, int otherSlot) {
    return time < otherTime || time == otherTime && slot < otherSlot;
  }

  private void rebuildHeap() {
    int count = 0;
    times = new long[Math.max(INITIAL_CAPACITY, size)];
    slots = new int[times.length];
    for (int i = 0; i < table.length; i += 2) {
      if (table[i + 1] != 0) {
        siftUp(count++, table[i], (int) (table[i + 1] - 1));
      }
    }
    heapSize = count;
  }

  // --- set of valid timers

  private static int hash(long time, int slot) {
    long mixed = (time ^ slot * 0xC2B2AE3D27D4EB4FL) * 0x9E3779B97F4A7C15L;
    return (int) (mixed ^ mixed >>> 32);
  }

  /** The bucket of a timer, or the bucket where it would be inserted. */
  private int find(long time, int slot) {
    int at = hash(time, slot) & mask;
    while (table[at * 2 + 1] != 0 && (table[at * 2] != time || table[at * 2 + 1] != slot + 1L)) {
      at = at + 1 & mask;
    }
    return at;
  }

  private boolean removeFromSet(long time, int slot) {
    int gap = find(time, slot);
    if (table[gap * 2 + 1] == 0) {
      return false;
    }
    size--;
    // Entries that would not be found behind the gap move back.
    for (int at = gap + 1 & mask; table[at * 2 + 1] != 0; at = at + 1 & mask) {
      int home = hash(table[at * 2], (int) (table[at * 2 + 1] - 1)) & mask;
      if ((at - home & mask) >= (at - gap & mask)) {
        table[gap * 2] = table[at * 2];
        table[gap * 2 + 1] = table[at * 2 + 1];
        gap = at;
      }
    }
    table[gap * 2 + 1] = 0;
    return true;
  }

  private void grow() {
    long[] old = table;
    table = new long[Math.multiplyExact(old.length, 2)];
    mask = table.length / 2 - 1;
    for (int i = 0; i < old.length; i += 2) {
      if (old[i + 1] != 0) {
        int at = find(old[i], (int) (old[i + 1] - 1));
        table[at * 2] = old[i];
        table[at * 2 + 1] = old[i + 1];
      }
    }
  }
}
