package io.millrace.dataplane.window;

import io.millrace.dataplane.operator.StepBudget;
import io.millrace.dataplane.state.FrozenTable;
import io.millrace.dataplane.state.KeyTable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The panes of sliding windows and a tree of partial aggregates over them. A record is added to one
 * pane. A node of level n aggregates 2<sup>n</sup> panes, so that a window consists of few nodes,
 * however many panes it spans. A node is computed when a window first needs it; by then its panes
 * are complete, except for late records.
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
  private final OwnedContent owned;

  /** Panes at level 0, aggregates above, sorted by index; empty ones are left out. */
  private final List<List<Node>> levels = new ArrayList<>();

  /** The pane that was used last, to which most records belong. */
  private Node recent;

  // The node that is being computed, and the progress in its two halves.
  private KeyTable sum;
  private int half;
  private int cursor;

  /** Gives the content in a slot of a pane for a change. */
  interface OwnedContent {
    Object of(KeyTable contents, int slot);
  }

  PaneTree(WindowContent content, StepBudget budget, OwnedContent owned) {
    this.content = content;
    this.budget = budget;
    this.owned = owned;
    levels.add(new ArrayList<>());
  }

  /**
   * Adds a record to a pane.
   *
   * @param complete whether nodes may contain the pane already
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
    Object before = owned.of(contents, slot);
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

  /** Receives the panes of a snapshot. */
  interface FrozenPanes {
    void pane(long pane, FrozenTable contents);
  }

  /** The panes as they are now; the nodes above them are computed again after a restore. */
  void freeze(FrozenPanes to) {
    for (Node pane : levels.get(0)) {
      to.pane(pane.index, pane.contents.freeze());
    }
  }

  /** Adds the content of a key in a pane from a checkpoint. */
  void restore(long pane, Object key, Object value) {
    KeyTable contents = reach(pane).contents;
    contents.value(contents.slot(key), value);
  }

  /** Whether a pane at or after this index exists. */
  boolean hasFrom(long pane) {
    return search(0, pane) < levels.get(0).size();
  }

  /** The index of the first pane at or after this index; there must be one. */
  long firstFrom(long pane) {
    return levels.get(0).get(search(0, pane)).index;
  }

  /** Removes panes before an index, and nodes that contain one of them. */
  void removeBefore(long pane) {
    for (int level = 0; level < levels.size(); level++) {
      long first = pane + (1L << level) - 1 >> level;
      levels.get(level).subList(0, search(level, first)).clear();
    }
    if (recent != null && recent.index < pane) {
      recent = null;
    }
  }

  /** The content of a key in a range of panes, null if it has none; must not be changed. */
  Object of(Object key, long from, long to) throws Exception {
    List<KeyTable> parts = new ArrayList<>();
    forEachNode(from, to, (level, index) -> addParts(level, index, parts));
    Object whole = null;
    boolean own = false;
    content.enter(key);
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
    content.leave();
    return whole;
  }

  /** The content of a range of panes; {@link Total#advance} computes it. */
  Total total(long from, long to) {
    return new Total(from, to);
  }

  /** The content of all keys in a range of panes. It is computed in several steps. */
  final class Total {
    private final long from;
    private final long to;
    private final List<KeyTable> parts = new ArrayList<>();
    private boolean prepared;
    private int part;
    private int slot;
    private KeyTable whole = new KeyTable();

    /** Slots of the result whose values belong to it; others are shared with a node. */
    private final BitSet own = new BitSet();

    private Total(long from, long to) {
      this.from = from;
      this.to = to;
    }

    /** Continues until the step budget is exhausted; true when {@link #whole} is complete. */
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
        content.enter(key);
        Object mine = own.get(at) ? before : content.copy(before);
        own.set(at);
        whole.value(at, content.merge(mine, more));
        content.leave();
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

  /** Visits the fewest nodes that cover exactly these panes, in order. */
  private static void forEachNode(long from, long to, Visit visit) {
    for (long at = from; at < to; ) {
      int level = levelAt(at, to);
      visit.node(level, at >> level);
      at += 1L << level;
    }
  }

  /** The highest level of a node that starts at a pane and ends within the range. */
  static int levelAt(long at, long to) {
    return Math.min(Long.numberOfTrailingZeros(at), 63 - Long.numberOfLeadingZeros(to - at));
  }

  /** Computes the nodes of a range; false if the step budget is exhausted. */
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

  /** Computes a node from its two children; the caller repeats the call until it is true. */
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
        Object key = read.key(next);
        int slot = sum.slot(key);
        Object before = sum.value(slot);
        Object more = read.value(next);
        // Always a copy: late records are added to the pane and to the node separately.
        content.enter(key);
        sum.value(slot, before == null ? content.copy(more) : content.merge(before, more));
        content.leave();
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

  /** Whether a node need not be computed: it exists, or has at most one pane. */
  private boolean isKnown(int level, long index) {
    return level == 0 || isAt(level, search(level, index), index) || panesOf(level, index) < 2;
  }

  private int panesOf(int level, long index) {
    return search(0, index + 1 << level) - search(0, index << level);
  }

  /** Adds the tables of a node: its own, or those of its descendants if it is not computed. */
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

  /** The position of a node in its level, or that at which to insert it. */
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
