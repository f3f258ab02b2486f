package io.millrace.dataplane.window;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.store.StoredState;
import io.millrace.dataplane.store.StoredWindowReader;
import io.millrace.dataplane.store.StoredWindows;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Windows with the same bounds for all keys, in a store. The content of overlapping windows that
 * can be merged is kept in panes: each start and end of a window is a boundary, the time between
 * two boundaries is a pane, a record is added to one pane, and a window merges its panes, key by
 * key, when it fires; those of many panes merge them in a tree. Otherwise a window is its only
 * pane, and a record is added to all its windows.
 */
final class StoredWindowOperator extends WindowOperator {
  /** With fewer panes in a window a tree saves nothing. */
  private static final int LEAST_PANES_FOR_TREE = 5;

  private static final String NODES = "pane-nodes";

  private final WindowAssigner.Aligned windows;
  private final long size;
  private final long slide;
  private final boolean paned;

  /** The distance from a window's start to the next end of a window; 0 if they coincide. */
  private final long cut;

  private final StoredState store;

  /** The contents of panes. */
  private final StoredWindows contents;

  private final NavigableSet<TimeWindow> panes;
  private final Optional<StoredPaneTree> tree;

  /** Windows that start before this have fired. */
  private long next = Long.MIN_VALUE;

  // The window that is firing, and what it consists of; null if none is.
  private TimeWindow firing;
  private StoredWindowReader reading;

  StoredWindowOperator(
      OperatorContext context,
      OperatorSpec.Window spec,
      WindowAssigner.Aligned windows,
      OperatorOutputs outputs,
      Optional<KeyedStateBackend> functionState,
      StoredState store) {
    super(context, spec, outputs, functionState);
    this.windows = windows;
    this.size = windows.size();
    this.slide = windows.slide();
    this.paned = slide < size && spec.window().content().merges();
    this.cut = size % slide;
    this.store = store;
    this.contents = store.windows(stateInfoIn(store), false);
    this.panes = contents.windows();
    this.tree =
        paned && size / slide * (cut == 0 ? 1 : 2) >= LEAST_PANES_FOR_TREE
            ? Optional.of(
                new StoredPaneTree(
                    contents,
                    store.windows(new StateInfo(NODES, content.kind(), true), true),
                    this::startOf,
                    budget,
                    this::mergedWhileFiring))
            : Optional.empty();
  }

  // --- panes by number

  private long numberAt(long time) {
    long begin = windows.lastStart(time);
    long number = Math.floorDiv(begin - windows.offset(), slide);
    return cut == 0 ? number : number * 2 + (time - begin < cut ? 0 : 1);
  }

  private long startOf(long number) {
    if (cut == 0) {
      return windows.offset() + number * slide;
    }
    return windows.offset() + (number >> 1) * slide + ((number & 1) == 0 ? 0 : cut);
  }

  private TimeWindow paneAt(long time) {
    long number = numberAt(time);
    return new TimeWindow(startOf(number), startOf(number + 1));
  }

  private TimeWindow windowAt(long begin) {
    return new TimeWindow(begin, begin + size);
  }

  /** What a window consists of. */
  private List<StoredWindowReader.Part> partsOf(TimeWindow window) {
    if (tree.isPresent()) {
      return tree.get().parts(numberAt(window.start()), numberAt(window.end()));
    }
    SortedSet<TimeWindow> found =
        paned
            ? panes.subSet(StoredWindows.lowest(window.start()), StoredWindows.lowest(window.end()))
            : panes.subSet(window, true, window, true);
    return found.stream().map(pane -> new StoredWindowReader.Part(contents, pane)).toList();
  }

  // --- windows

  @Override
  boolean add(Object key, Object record, long timestamp, long now) throws Exception {
    long newest = windows.lastStart(timestamp);
    if (newest <= timestamp - size || isOver(newest, now)) {
      return false;
    }
    byte[] bytes = store.keyOf(key);
    if (paned) {
      TimeWindow pane = paneAt(timestamp);
      fold(bytes, pane, record);
      if (tree.isPresent() && pane.end() - 1 <= currentTime) {
        tree.get().fold(numberAt(timestamp), bytes, record, content);
      }
    }
    for (long begin = newest; begin > timestamp - size && !isOver(begin, now); begin -= slide) {
      if (!paned) {
        fold(bytes, windowAt(begin), record);
      }
      if (begin + size - 1 <= now) {
        emit(key, begin, begin + size, whole(bytes, windowAt(begin)));
      }
    }
    return true;
  }

  private void fold(byte[] key, TimeWindow pane, Object record) throws Exception {
    if (contents.isList()) {
      contents.append(key, pane, record);
    } else {
      contents.put(key, pane, content.fold(contents.get(key, pane), record));
    }
  }

  private Object whole(byte[] key, TimeWindow window) throws Exception {
    List<Object> found = new ArrayList<>();
    for (StoredWindowReader.Part part : partsOf(window)) {
      Object content = part.contents().get(key, part.window());
      if (content != null) {
        found.add(content);
      }
    }
    return merged(key, found);
  }

  private Object merged(byte[] key, List<Object> found) throws Exception {
    Object whole = found.get(0);
    if (found.size() > 1) {
      content.enter(store.decodeKey(key));
      for (Object more : found.subList(1, found.size())) {
        whole = content.mergeIntoFirst(whole, more);
      }
      content.leave();
    }
    return whole;
  }

  private Object mergedWhileFiring(byte[] key, List<Object> found) {
    try {
      return merged(key, found);
    } catch (Throwable thrown) {
      throw failed(thrown);
    }
  }

  /** Whether a window accepts no more records. */
  private boolean isOver(long begin, long now) {
    return plus(begin + size - 1, lateness) <= now;
  }

  @Override
  boolean fire() {
    while (firing != null || begin()) {
      if (!emitAll()) {
        return false;
      }
      reading.close();
      reading = null;
      next = plus(firing.start(), slide);
      firing = null;
      removeClosed();
    }
    // Empty windows count as fired: records for them are late from now on.
    next = Math.max(next, firstAfter(0));
    removeClosed();
    return true;
  }

  /** Starts to fire the first window that is due; false if none is. */
  private boolean begin() {
    long first = firstWindow();
    if (first == Long.MAX_VALUE || first + size - 1 > currentTime) {
      return false;
    }
    firing = windowAt(first);
    return true;
  }

  /** The start of the first window that has not fired and is not empty. */
  private long firstWindow() {
    TimeWindow pane = panes.ceiling(StoredWindows.lowest(next));
    if (pane == null) {
      return Long.MAX_VALUE;
    }
    return paned ? Math.max(next, windows.lastStart(pane.start() - size) + slide) : pane.start();
  }

  private boolean emitAll() {
    if (reading == null) {
      if (tree.isPresent()
          && !tree.get().prepare(numberAt(firing.start()), numberAt(firing.end()))) {
        return false;
      }
      reading = new StoredWindowReader(partsOf(firing));
      long last = firing.maxTimestamp();
      if (isAhead(last)) {
        reading.skip(group -> isAhead(group, last));
      }
    }
    do {
      if (budget.isExhausted()) {
        return false;
      }
    } while (reading.next(
        (key, found) ->
            emit(
                store.decodeKey(key),
                firing.start(),
                firing.end(),
                mergedWhileFiring(key, found))));
    return true;
  }

  /** Removes panes of which all windows have fired and accept no more records. */
  private void removeClosed() {
    long needed = Math.min(next, firstAfter(lateness));
    while (!panes.isEmpty() && panes.first().start() < needed) {
      contents.remove(panes.first());
    }
    tree.ifPresent(nodes -> nodes.removeBefore(needed));
  }

  /** The start of the first window whose end plus a distance is after the current time. */
  private long firstAfter(long distance) {
    if (currentTime <= plus(plus(Long.MIN_VALUE + size, slide), distance)) {
      return Long.MIN_VALUE;
    }
    return plus(windows.lastStart(currentTime - distance - size + 1), slide);
  }

  @Override
  String stateName() {
    return paned ? "panes" : "windows";
  }

  @Override
  List<StatePart> freeze() {
    throw new IllegalStateException("The store has the state");
  }

  /** A pane of the operator, which has the bounds of one in a checkpoint. */
  private TimeWindow restoredPane(long from, long to) {
    TimeWindow pane = paned ? paneAt(from) : windowAt(windows.lastStart(from));
    if (pane.start() != from || pane.end() != to) {
      throw changed(from, to, pane.end() - pane.start());
    }
    return pane;
  }

  @Override
  void restore(Object key, RestoredWindow window) {
    contents.put(store.keyOf(key), restoredPane(window.start(), window.end()), window.content());
  }

  @Override
  void restored() {
    contents.findWindows();
    // Files of a backend were not read entry by entry.
    panes.forEach(pane -> restoredPane(pane.start(), pane.end()));
    // Former subtasks may have computed different nodes.
    tree.ifPresent(StoredPaneTree::clear);
    // Windows fire in order; those that are due by now had fired.
    next = firstAfter(0);
  }

  @Override
  long nextFiring() {
    long first = firstWindow();
    return first == Long.MAX_VALUE ? Long.MAX_VALUE : first + size - 1;
  }

  @Override
  public void close() throws Exception {
    if (reading != null) {
      reading.close();
    }
    tree.ifPresent(StoredPaneTree::close);
    super.close();
  }
}
