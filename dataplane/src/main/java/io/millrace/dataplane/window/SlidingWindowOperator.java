package io.millrace.dataplane.window;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.state.KeyTable;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StatePart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Overlapping windows with the same bounds for all keys, whose content can be merged. Each start
 * and end of a window is a boundary; the time between two boundaries is a pane. A record is added
 * to one pane, and a window merges its panes when it fires.
 */
final class SlidingWindowOperator extends WindowOperator {
  private final WindowAssigner.Aligned windows;
  private final long size;
  private final long slide;

  /** The distance from a window's start to the next end of a window; 0 if they coincide. */
  private final long cut;

  private final PaneTree panes;

  /** Windows that start before this have fired. */
  private long next = Long.MIN_VALUE;

  // The window that is firing, and its progress; null if none is.
  private PaneTree.Total firing;
  private long start;
  private int cursor;

  SlidingWindowOperator(
      OperatorContext context,
      OperatorSpec.Window spec,
      WindowAssigner.Aligned windows,
      OperatorOutputs outputs,
      Optional<KeyedStateBackend> functionState) {
    super(context, spec, outputs, functionState);
    this.windows = windows;
    this.size = windows.size();
    this.slide = windows.slide();
    this.cut = size % slide;
    this.panes = new PaneTree(content, budget, this::owned);
  }

  // --- panes by number

  private long paneAt(long time) {
    long begin = windows.lastStart(time);
    long number = Math.floorDiv(begin - windows.offset(), slide);
    return cut == 0 ? number : number * 2 + (time - begin < cut ? 0 : 1);
  }

  private long startOf(long pane) {
    if (cut == 0) {
      return windows.offset() + pane * slide;
    }
    return windows.offset() + (pane >> 1) * slide + ((pane & 1) == 0 ? 0 : cut);
  }

  // --- windows

  @Override
  public boolean add(Object key, Object record, long timestamp, long now) throws Exception {
    long newest = windows.lastStart(timestamp);
    if (isOver(newest, now)) {
      return false;
    }
    long pane = paneAt(timestamp);
    long last = startOf(pane + 1) - 1;
    panes.fold(pane, key, record, last <= currentTime);
    if (last <= now) {
      for (long begin = newest; begin > timestamp - size && !isOver(begin, now); begin -= slide) {
        if (begin + size - 1 <= now) {
          Object whole = panes.of(key, paneAt(begin), paneAt(begin + size));
          emit(key, begin, begin + size, whole);
        }
      }
    }
    return true;
  }

  /** Whether a window accepts no more records. */
  private boolean isOver(long begin, long now) {
    return plus(begin + size - 1, lateness) <= now;
  }

  @Override
  public boolean fire() {
    while (firing != null || begin()) {
      if (!emitAll()) {
        return false;
      }
      firing = null;
      cursor = 0;
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
    firing = panes.total(paneAt(start), paneAt(start + size));
    return true;
  }

  /** The start of the first window that has not fired and is not empty. */
  private long firstWindow() {
    long from = next == Long.MIN_VALUE ? Long.MIN_VALUE : paneAt(next);
    if (!panes.hasFrom(from)) {
      return Long.MAX_VALUE;
    }
    long inPane = startOf(panes.firstFrom(from));
    return Math.max(next, windows.lastStart(inPane - size) + slide);
  }

  private boolean emitAll() {
    try {
      if (!firing.advance()) {
        return false;
      }
    } catch (Throwable thrown) {
      throw failed(thrown);
    }
    KeyTable whole = firing.whole();
    long last = start + size - 1;
    boolean mayHaveFired = isAhead(last);
    int slot;
    while ((slot = whole.next(cursor)) >= 0) {
      if (budget.isExhausted()) {
        return false;
      }
      cursor = slot + 1;
      if (!mayHaveFired || !isAhead(whole.key(slot), last)) {
        emit(whole, slot, start, start + size, whole.value(slot));
      }
    }
    return true;
  }

  /** Removes panes of which all windows have fired and accept no more records. */
  private void removeClosed() {
    long needed = Math.min(next, firstAfter(lateness));
    if (needed > Long.MIN_VALUE) {
      panes.removeBefore(paneAt(needed));
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
    return "panes";
  }

  @Override
  List<StatePart> freeze() {
    List<StatePart> parts = new ArrayList<>();
    panes.freeze(
        (pane, contents) ->
            parts.add(contents.asState(stateInfo(), startOf(pane), startOf(pane + 1))));
    return parts;
  }

  @Override
  void restore(Object key, RestoredWindow window) {
    long pane = paneAt(window.start());
    if (startOf(pane) != window.start() || startOf(pane + 1) != window.end()) {
      throw changed(window.start(), window.end(), startOf(pane + 1) - startOf(pane));
    }
    panes.restore(pane, key, window.content());
  }

  @Override
  void restored() {
    // Windows fire in order; those that are due by now had fired.
    next = firstAfter(0);
  }

  @Override
  public long nextFiring() {
    long first = firstWindow();
    return first == Long.MAX_VALUE ? Long.MAX_VALUE : first + size - 1;
  }
}
