package io.millrace.dataplane.state;

import java.util.Arrays;

/**
 * Times and the slots that wait for them, the earliest first and of equal ones the lowest slot. A
 * slot has a time once. A timer that is taken back leaves its place in the heap, where it is passed
 * over; the heap is swept when such places are the majority.
 */
public final class TimerQueue {
  private static final int INITIAL = 16;

  private long[] times = new long[INITIAL];
  private int[] slots = new int[INITIAL];
  private int heapSize;

  /** The timers that count, as pairs of time and slot plus one; zero where there is none. */
  private long[] table = new long[INITIAL * 4];

  private int mask = INITIAL * 2 - 1;
  private int size;

  public boolean isEmpty() {
    return size == 0;
  }

  public int size() {
    return size;
  }

  /** How many places of the heap are taken, those of timers taken back included. */
  int places() {
    return heapSize;
  }

  /** Adds a timer; false if it is there already. */
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

  /** Takes a timer back; false if there is none. */
  public boolean remove(long time, int slot) {
    if (!forget(time, slot)) {
      return false;
    }
    if (heapSize > 2 * size + INITIAL) {
      sweep();
    }
    return true;
  }

  /** All timers as pairs of time and slot plus one; pairs with a zero are none. */
  long[] copy() {
    return table.clone();
  }

  /** The earliest time; only if there is one. */
  public long firstTime() {
    dropForgotten();
    return times[0];
  }

  /** Takes the first timer out and returns its slot; only if there is one. */
  public int poll() {
    dropForgotten();
    int slot = slots[0];
    forget(times[0], slot);
    dropFirst();
    return slot;
  }

  private void dropForgotten() {
    while (table[find(times[0], slots[0]) * 2 + 1] == 0) {
      dropFirst();
    }
  }

  private void dropFirst() {
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

  private void sweep() {
    int kept = 0;
    times = new long[Math.max(INITIAL, size)];
    slots = new int[times.length];
    for (int i = 0; i < table.length; i += 2) {
      if (table[i + 1] != 0) {
        siftUp(kept++, table[i], (int) (table[i + 1] - 1));
      }
    }
    heapSize = kept;
  }

  // --- the set

  private static int hash(long time, int slot) {
    long mixed = (time ^ slot * 0xC2B2AE3D27D4EB4FL) * 0x9E3779B97F4A7C15L;
    return (int) (mixed ^ mixed >>> 32);
  }

  /** Where a timer is, or would be. */
  private int find(long time, int slot) {
    int at = hash(time, slot) & mask;
    while (table[at * 2 + 1] != 0 && (table[at * 2] != time || table[at * 2 + 1] != slot + 1L)) {
      at = at + 1 & mask;
    }
    return at;
  }

  private boolean forget(long time, int slot) {
    int open = find(time, slot);
    if (table[open * 2 + 1] == 0) {
      return false;
    }
    size--;
    // What would no longer be found behind an empty place moves up.
    for (int at = open + 1 & mask; table[at * 2 + 1] != 0; at = at + 1 & mask) {
      int wanted = hash(table[at * 2], (int) (table[at * 2 + 1] - 1)) & mask;
      if ((at - wanted & mask) >= (at - open & mask)) {
        table[open * 2] = table[at * 2];
        table[open * 2 + 1] = table[at * 2 + 1];
        open = at;
      }
    }
    table[open * 2 + 1] = 0;
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
