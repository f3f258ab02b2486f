package io.millrace.dataplane.window;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.state.KeyTable;

/**
 * Windows that overlap, of the same bounds for all keys, whose content can be merged. Time is cut
 * wherever a window begins or ends; what lies between two cuts is a pane. A record goes into one
 * pane, and a window is put together of panes when it fires.
 */
final class SlidingWindowOperator extends WindowOperator {
  private final WindowAssigner.Aligned windows;
  private final long size;
  private final long slide;

  /** How far behind the begin of one window another one ends; 0 if they do so at the same time. */
  private final long cut;

  private final PaneTree panes;

  /** Windows that begin before this have fired, if there was something in them. */
  private long next = Long.MIN_VALUE;

  // The window that is firing, and how far it has come; null while none is.
  private PaneTree.Total firing;
  private long start;
  private int cursor;

  SlidingWindowOperator(
      OperatorContext context,
      OperatorSpec.Window spec,
      WindowAssigner.Aligned windows,
      OperatorOutputs outputs) {
    super(context, spec, outputs);
    this.windows = windows;
    this.size = windows.size();
    this.slide = windows.slide();
    this.cut = size % slide;
    this.panes = new PaneTree(content, budget);
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
  public boolean take(Object key, Object record, long timestamp) throws Exception {
    long newest = windows.lastStart(timestamp);
    if (isOver(newest)) {
      return false;
    }
    long pane = paneAt(timestamp);
    boolean late = startOf(pane + 1) - 1 <= mark;
    panes.fold(pane, key, record, late);
    if (late) {
      for (long begin = newest; begin > timestamp - size && !isOver(begin); begin -= slide) {
        if (begin + size - 1 <= mark) {
          Object whole = panes.of(key, paneAt(begin), paneAt(begin + size));
          emit(key, begin, begin + size, whole);
        }
      }
    }
    return true;
  }

  /** Whether a window takes no more records. */
  private boolean isOver(long begin) {
    return plus(begin + size - 1, lateness) <= mark;
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
      forget();
    }
    // Windows that nothing was in have fired, too: what comes for them now is late.
    next = Math.max(next, firstAfter(0));
    forget();
    return true;
  }

  /** Begins to fire the first window that is due, if there is one. */
  private boolean begin() {
    long first = firstWindow();
    if (first == Long.MAX_VALUE || first + size - 1 > mark) {
      return false;
    }
    start = first;
    firing = panes.total(paneAt(start), paneAt(start + size));
    return true;
  }

  /** The begin of the first window that has not fired and holds something. */
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
    int slot;
    while ((slot = whole.next(cursor)) >= 0) {
      if (budget.isExhausted()) {
        return false;
      }
      cursor = slot + 1;
      emit(whole, slot, start, start + size, whole.value(slot));
    }
    return true;
  }

  /** Forgets panes whose last window has fired and takes no more. */
  private void forget() {
    long needed = Math.min(next, firstAfter(lateness));
    if (needed > Long.MIN_VALUE) {
      panes.forgetBefore(paneAt(needed));
    }
  }

  /** The begin of the first window whose end the mark has not passed by this much. */
  private long firstAfter(long distance) {
    if (mark <= plus(plus(Long.MIN_VALUE + size, slide), distance)) {
      return Long.MIN_VALUE;
    }
    return plus(windows.lastStart(mark - distance - size + 1), slide);
  }

  @Override
  public long firstMoment() {
    long first = firstWindow();
    return first == Long.MAX_VALUE ? Long.MAX_VALUE : first + size - 1;
  }
}
