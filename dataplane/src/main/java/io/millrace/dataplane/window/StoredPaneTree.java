package io.millrace.dataplane.window;

import io.millrace.api.window.TimeWindow;
import io.millrace.dataplane.operator.StepBudget;
import io.millrace.dataplane.store.StoredWindowReader;
import io.millrace.dataplane.store.StoredWindows;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * A tree of partial aggregates over the panes of sliding windows in a store, as {@link PaneTree} on
 * the heap: a node of level n aggregates 2<sup>n</sup> panes and is computed when a window first
 * needs it. Nodes are no part of savepoints and are computed again after a restore.
 */
final class StoredPaneTree {
  private final StoredWindows panes;
  private final StoredWindows nodes;
  private final LongUnaryOperator startOf;
  private final StepBudget budget;
  private final Merge merge;

  /** Above the level of the largest node so far. */
  private int levels = 1;

  /** The node that is being computed, null if none is. */
  private TimeWindow computing;

  private StoredWindowReader reading;

  /** Merges the contents of a key. */
  interface Merge {
    Object of(byte[] key, List<Object> contents);
  }

  /**
   * @param startOf the start of a pane by its number
   */
  StoredPaneTree(
      StoredWindows panes,
      StoredWindows nodes,
      LongUnaryOperator startOf,
      StepBudget budget,
      Merge merge) {
    this.panes = panes;
    this.nodes = nodes;
    this.startOf = startOf;
    this.budget = budget;
    this.merge = merge;
  }

  /** Removes all nodes. */
  void clear() {
    nodes.clear();
  }

  /** Removes nodes that contain panes that start before a time. */
  void removeBefore(long time) {
    while (!nodes.windows().isEmpty() && nodes.windows().first().start() < time) {
      nodes.remove(nodes.windows().first());
    }
  }

  /** Adds a record to the nodes that contain a pane. */
  void fold(long pane, byte[] key, Object record, WindowContent content) throws Exception {
    for (int level = 1; level < levels; level++) {
      TimeWindow node = window(level, pane >> level);
      if (nodes.windows().contains(node)) {
        nodes.put(key, node, content.fold(nodes.get(key, node), record));
      }
    }
  }

  /** Computes the nodes of a range of panes; false if the step budget is exhausted. */
  boolean prepare(long from, long to) {
    for (long at = from; at < to; ) {
      int level = PaneTree.levelAt(at, to);
      if (!prepareNode(level, at >> level)) {
        return false;
      }
      at += 1L << level;
    }
    return true;
  }

  private boolean prepareNode(int level, long index) {
    return isKnown(level, index)
        || prepareNode(level - 1, index * 2)
            && prepareNode(level - 1, index * 2 + 1)
            && compute(level, index);
  }

  /** The caller repeats the call until it is true. */
  private boolean compute(int level, long index) {
    if (computing == null) {
      computing = window(level, index);
      levels = Math.max(levels, level + 1);
      List<StoredWindowReader.Part> halves = new ArrayList<>(2);
      addParts(level - 1, index * 2, halves);
      addParts(level - 1, index * 2 + 1, halves);
      reading = new StoredWindowReader(halves);
    }
    do {
      if (budget.isExhausted()) {
        return false;
      }
    } while (reading.next((key, contents) -> nodes.put(key, computing, merge.of(key, contents))));
    reading.close();
    computing = null;
    return true;
  }

  /** The fewest nodes and panes that cover exactly these panes, in order. */
  List<StoredWindowReader.Part> parts(long from, long to) {
    List<StoredWindowReader.Part> parts = new ArrayList<>();
    for (long at = from; at < to; ) {
      int level = PaneTree.levelAt(at, to);
      addParts(level, at >> level, parts);
      at += 1L << level;
    }
    return parts;
  }

  /** Adds a node, or its descendants if it is not computed. */
  private void addParts(int level, long index, List<StoredWindowReader.Part> parts) {
    TimeWindow node = window(level, index);
    if (isComputed(level, node)) {
      parts.add(new StoredWindowReader.Part(nodes, node));
      return;
    }
    int found = countPanes(node);
    if (found == 1) {
      parts.add(new StoredWindowReader.Part(panes, firstPane(node)));
    } else if (found > 1) {
      addParts(level - 1, index * 2, parts);
      addParts(level - 1, index * 2 + 1, parts);
    }
  }

  private TimeWindow window(int level, long index) {
    return new TimeWindow(
        startOf.applyAsLong(index << level), startOf.applyAsLong(index + 1 << level));
  }

  /** Whether a node need not be computed: it exists, or has at most one pane. */
  private boolean isKnown(int level, long index) {
    TimeWindow node = window(level, index);
    return level == 0 || isComputed(level, node) || countPanes(node) < 2;
  }

  private boolean isComputed(int level, TimeWindow node) {
    return level > 0 && nodes.windows().contains(node) && !node.equals(computing);
  }

  private TimeWindow firstPane(TimeWindow node) {
    return panes.windows().ceiling(StoredWindows.lowest(node.start()));
  }

  /** 0, 1, or 2 for more. */
  private int countPanes(TimeWindow node) {
    TimeWindow first = firstPane(node);
    if (first == null || first.start() >= node.end()) {
      return 0;
    }
    TimeWindow second = panes.windows().higher(first);
    return second == null || second.start() >= node.end() ? 1 : 2;
  }

  void close() {
    if (reading != null) {
      reading.close();
    }
  }
}
