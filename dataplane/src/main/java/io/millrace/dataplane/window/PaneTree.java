package io.millrace.dataplane.window;

import io.millrace.dataplane.operator.StepBudget;
import io.millrace.dataplane.state.KeyTable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What sliding windows hold, in pieces that several of them share. A record is folded into one
 * pane. On top of the panes is a tree of sums: a node of level n holds what 2<sup>n</sup> panes
 * hold together, so that a window is made of few nodes however many panes it is long. A node is
 * made when a window first asks for it, which is when all its panes are complete but for late
 * records.
 */
final class PaneTree {
  private static final class Node {
    final long index;
    final KeyTable contents;

    Node(long index, KeyTable contents) {
      this.index = index;
      this.contents = contents;
    }
  }

  private final WindowContent content;
  private final StepBudget budget;

  /** Panes at level 0, sums above; each by index. Those that would be empty are not there. */
  private final List<List<Node>> levels = new ArrayList<>();

  /** The pane that was used last; most records go there. */
  private Node recent;

  // The sum in the making: how far the reading of its two halves has come.
  private KeyTable sum;
  private int half;
  private int cursor;

  PaneTree(WindowContent content, StepBudget budget) {
    this.content = content;
    this.budget = budget;
    levels.add(new ArrayList<>());
  }

  /**
   * Folds a record into a pane.
   *
   * @param complete whether sums may hold the pane already
   */
  void fold(long pane, Object key, Object record, boolean complete) throws Exception {
    if (recent == null || recent.index != pane) {
      recent = reach(pane);
    }
    fold(recent.contents, key, record);
    for (int level = 1; complete && level < levels.size(); level++) {
      int at = search(level, pane >> level);
      if (isAt(level, at, pane >> level)) {
        fold(levels.get(level).get(at).contents, key, record);
      }
    }
  }

  private void fold(KeyTable contents, Object key, Object record) throws Exception {
    int slot = contents.slot(key);
    Object before = contents.value(slot);
    Object after = content.fold(before, record);
    if (after != before) {
      contents.value(slot, after);
    }
  }

  private Node reach(long pane) {
    int at = search(0, pane);
    if (!isAt(0, at, pane)) {
      levels.get(0).add(at, new Node(pane, new KeyTable()));
    }
    return levels.get(0).get(at);
  }

  /** Whether there is a pane at or after this one. */
  boolean hasFrom(long pane) {
    return search(0, pane) < levels.get(0).size();
  }

  /** The first pane at or after this one, which is there. */
  long firstFrom(long pane) {
    return levels.get(0).get(search(0, pane)).index;
  }

  /** Forgets panes before this one, and sums that hold some of them. */
  void forgetBefore(long pane) {
    for (int level = 0; level < levels.size(); level++) {
      long first = pane + (1L << level) - 1 >> level;
      levels.get(level).subList(0, search(level, first)).clear();
    }
    if (recent != null && recent.index < pane) {
      recent = null;
    }
  }

  /** What a key has in these panes together, null if nothing; not to be changed. */
  Object of(Object key, long from, long to) throws Exception {
    List<KeyTable> parts = new ArrayList<>();
    forEachNode(from, to, (level, index) -> addParts(level, index, parts));
    Object whole = null;
    boolean own = false;
    for (KeyTable part : parts) {
      int slot = part.find(key);
      if (slot >= 0) {
        Object more = part.value(slot);
        if (whole == null) {
          whole = more;
        } else {
          whole = content.merge(own ? whole : content.copy(whole), more);
          own = true;
        }
      }
    }
    return whole;
  }

  /** What these panes hold together; nothing is read yet. */
  Total total(long from, long to) {
    return new Total(from, to);
  }

  /** What all keys have in some panes together. Made in as many turns as it takes. */
  final class Total {
    private final long from;
    private final long to;
    private final List<KeyTable> parts = new ArrayList<>();
    private boolean prepared;
    private int part;
    private int slot;
    private KeyTable whole = new KeyTable();

    /** Values of the whole that were made for it; others belong to a part. */
    private final BitSet own = new BitSet();

    private Total(long from, long to) {
      this.from = from;
      this.to = to;
    }

    /** Goes on, as far as the turn goes; true when {@link #whole} is complete. */
    boolean advance() throws Exception {
      if (!prepared) {
        if (!prepare(from, to)) {
          return false;
        }
        prepared = true;
        forEachNode(from, to, (level, index) -> addParts(level, index, parts));
        if (parts.size() == 1) {
          whole = parts.get(0);
          part = 1;
        }
      }
      for (; part < parts.size(); part++) {
        KeyTable read = parts.get(part);
        int next;
        while ((next = read.next(slot)) >= 0) {
          if (budget.isExhausted()) {
            return false;
          }
          slot = next + 1;
          add(read.key(next), read.value(next));
        }
        slot = 0;
      }
      return true;
    }

    private void add(Object key, Object more) throws Exception {
      int at = whole.slot(key);
      Object before = whole.value(at);
      if (before == null) {
        whole.value(at, more);
      } else {
        Object mine = own.get(at) ? before : content.copy(before);
        own.set(at);
        whole.value(at, content.merge(mine, more));
      }
    }

    KeyTable whole() {
      return whole;
    }
  }

  // --- the tree

  private interface Visit {
    void node(int level, long index);
  }

  /** The fewest nodes that hold these panes and no other, in order. */
  private static void forEachNode(long from, long to, Visit visit) {
    for (long at = from; at < to; ) {
      int level = levelAt(at, to);
      visit.node(level, at >> level);
      at += 1L << level;
    }
  }

  /** The highest level of a node that begins at a pane and ends within bounds. */
  private static int levelAt(long at, long to) {
    return Math.min(Long.numberOfTrailingZeros(at), 63 - Long.numberOfLeadingZeros(to - at));
  }

  /** Makes the sums that a window is made of; false if the turn is over before. */
  private boolean prepare(long from, long to) throws Exception {
    for (long at = from; at < to; ) {
      int level = levelAt(at, to);
      if (!prepareNode(level, at >> level)) {
        return false;
      }
      at += 1L << level;
    }
    return true;
  }

  private boolean prepareNode(int level, long index) throws Exception {
    return isKnown(level, index)
        || prepareNode(level - 1, index * 2)
            && prepareNode(level - 1, index * 2 + 1)
            && add(level, index);
  }

  /** Makes a sum of two nodes that are known; called again until it returns true. */
  private boolean add(int level, long index) throws Exception {
    if (sum == null) {
      sum = new KeyTable();
    }
    for (; half < 2; half++) {
      List<KeyTable> parts = new ArrayList<>(1);
      addParts(level - 1, index * 2 + half, parts);
      if (parts.isEmpty()) {
        continue;
      }
      KeyTable read = parts.get(0);
      int next;
      while ((next = read.next(cursor)) >= 0) {
        if (budget.isExhausted()) {
          return false;
        }
        cursor = next + 1;
        int slot = sum.slot(read.key(next));
        Object before = sum.value(slot);
        Object more = read.value(next);
        // A copy in any case: late records are folded into pane and sum, each for itself.
        sum.value(slot, before == null ? content.copy(more) : content.merge(before, more));
      }
      cursor = 0;
    }
    while (levels.size() <= level) {
      levels.add(new ArrayList<>());
    }
    levels.get(level).add(search(level, index), new Node(index, sum));
    sum = null;
    half = 0;
    return true;
  }

  /** Whether a node needs no sum made: there is one, or at most one pane below it. */
  private boolean isKnown(int level, long index) {
    return level == 0 || isAt(level, search(level, index), index) || panesOf(level, index) < 2;
  }

  private int panesOf(int level, long index) {
    return search(0, index + 1 << level) - search(0, index << level);
  }

  /** Adds the tables that hold what a node holds: one, or those below where there is no sum. */
  private void addParts(int level, long index, List<KeyTable> parts) {
    int at = search(level, index);
    if (isAt(level, at, index)) {
      parts.add(levels.get(level).get(at).contents);
      return;
    }
    int panes = level == 0 ? 0 : panesOf(level, index);
    if (panes == 1) {
      parts.add(levels.get(0).get(search(0, index << level)).contents);
    } else if (panes > 1) {
      addParts(level - 1, index * 2, parts);
      addParts(level - 1, index * 2 + 1, parts);
    }
  }

  /** Where a piece is in its level, or would be. */
  private int search(int level, long index) {
    if (level >= levels.size()) {
      return 0;
    }
    List<Node> pieces = levels.get(level);
    int low = 0;
    int high = pieces.size();
    while (low < high) {
      int middle = low + high >>> 1;
      if (pieces.get(middle).index < index) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean isAt(int level, int at, long index) {
    return level < levels.size()
        && at < levels.get(level).size()
        && levels.get(level).get(at).index == index;
  }
}
