package io.millrace.dataplane.window;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.store.StoredState;
import io.millrace.dataplane.store.StoredWindows;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * Windows with the same bounds for all keys, in a store. The content of overlapping windows that
 * can be merged is kept in panes: each start and end of a window is a boundary, the time between
 * two boundaries is a pane, a record is added to one pane, and a window merges its panes, key by
 * key, when it fires. Otherwise a window is its only pane, and a record is added to all its
 * windows.
 */
final class StoredWindowOperator extends WindowOperator {
  private final WindowAssigner.Aligned windows;
  private final long size;
  private final long slide;
  private final boolean paned;

  /** The distance from a window's start to the next end of a window; 0 if they coincide. */
  private final long cut;

  private final StoredState store;
  private final StoredWindows contents;

  /** The starts of the panes with a content. */
  private final NavigableSet<Long> panes;

  /** Windows that start before this have fired. */
  private long next = Long.MIN_VALUE;

  // The window that is firing; null if none is.
  private StoredWindows.Reader firing;
  private long start;

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
    this.contents = store.windows(stateInfo());
    this.panes = contents.starts();
  }

  // --- panes

  private long paneOf(long time) {
    long begin = windows.lastStart(time);
    return cut == 0 || time - begin < cut ? begin : begin + cut;
  }

  private long endOf(long pane) {
    if (!paned) {
      return pane + size;
    }
    long begin = windows.lastStart(pane);
    return cut == 0 || pane > begin ? begin + slide : begin + cut;
  }

  private List<Long> panesOf(long window) {
    return paned
        ? new ArrayList<>(panes.subSet(window, window + size))
        : panes.contains(window) ? List.of(window) : List.of();
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
      fold(bytes, paneOf(timestamp), record);
    }
    for (long begin = newest; begin > timestamp - size && !isOver(begin, now); begin -= slide) {
      if (!paned) {
        fold(bytes, begin, record);
      }
      if (begin + size - 1 <= now) {
        emit(key, begin, begin + size, whole(key, bytes, begin));
      }
    }
    return true;
  }

  private void fold(byte[] key, long pane, Object record) throws Exception {
    long end = endOf(pane);
    if (contents.isList()) {
      contents.append(key, pane, end, record);
    } else {
      contents.put(key, pane, end, content.fold(contents.get(key, pane, end), record));
    }
  }

  private Object whole(Object key, byte[] bytes, long window) throws Exception {
    List<Object> parts = new ArrayList<>();
    for (long pane : panesOf(window)) {
      Object part = contents.get(bytes, pane, endOf(pane));
      if (part != null) {
        parts.add(part);
      }
    }
    return merged(key, parts);
  }

  private Object merged(Object key, List<Object> parts) throws Exception {
    Object whole = parts.get(0);
    if (parts.size() > 1) {
      content.enter(key);
      for (Object part : parts.subList(1, parts.size())) {
        whole = content.merge(whole, part);
      }
      content.leave();
    }
    return whole;
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
      firing.close();
      firing = null;
      next = plus(start, slide);
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
    start = first;
    firing = contents.read(panesOf(start));
    long last = start + size - 1;
    if (isAhead(last)) {
      firing.skip(group -> isAhead(group, last));
    }
    return true;
  }

  /** The start of the first window that has not fired and is not empty. */
  private long firstWindow() {
    Long pane = panes.ceiling(next);
    if (pane == null) {
      return Long.MAX_VALUE;
    }
    return paned ? Math.max(next, windows.lastStart(pane - size) + slide) : pane;
  }

  private boolean emitAll() {
    do {
      if (budget.isExhausted()) {
        return false;
      }
    } while (firing.next(this::emitContent));
    return true;
  }

  private void emitContent(Object key, List<Object> parts) {
    Object whole;
    try {
      whole = merged(key, parts);
    } catch (Throwable thrown) {
      throw failed(thrown);
    }
    emit(key, start, start + size, whole);
  }

  /** Removes panes of which all windows have fired and accept no more records. */
  private void removeClosed() {
    long needed = Math.min(next, firstAfter(lateness));
    while (!panes.isEmpty() && panes.first() < needed) {
      contents.remove(panes.first());
    }
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

  @Override
  void restore(Object key, RestoredWindow window) {
    long pane = paned ? paneOf(window.start()) : window.start();
    if (pane != window.start() || endOf(pane) != window.end()) {
      throw changed(window, endOf(pane) - pane);
    }
    contents.put(store.keyOf(key), window.start(), window.end(), window.content());
  }

  @Override
  void restored() {
    contents.findWindows();
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
    if (firing != null) {
      firing.close();
    }
    super.close();
  }
}
