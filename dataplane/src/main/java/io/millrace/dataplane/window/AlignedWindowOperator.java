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
 * Windows with the same bounds for all keys. Each window has its own table of keys, so that firing
 * it is a sequential read, removing it costs nothing, and no key needs a timer.
 */
final class AlignedWindowOperator extends WindowOperator {
  private static final class Pane {
    final long start;
    final KeyTable contents = new KeyTable();

    Pane(long start) {
      this.start = start;
    }
  }

  private final WindowAssigner.Aligned windows;
  private final long size;

  /** Sorted by start. */
  private final List<Pane> panes = new ArrayList<>();

  /** The number of windows at the front of the list that have fired. */
  private int fired;

  /** The window that was used last, to which most records belong. */
  private Pane recent;

  /** The next slot of the window that is firing. */
  private int cursor;

  AlignedWindowOperator(
      OperatorContext context,
      OperatorSpec.Window spec,
      WindowAssigner.Aligned windows,
      OperatorOutputs outputs,
      Optional<KeyedStateBackend> functionState) {
    super(context, spec, outputs, functionState);
    this.windows = windows;
    this.size = windows.size();
  }

  @Override
  public boolean add(Object key, Object record, long timestamp, long now) throws Exception {
    boolean taken = false;
    for (long start = windows.lastStart(timestamp);
        start > timestamp - size;
        start -= windows.slide()) {
      long last = start + size - 1;
      if (plus(last, lateness) <= now) {
        break;
      }
      taken = true;
      KeyTable contents = pane(start).contents;
      int slot = contents.slot(key);
      Object before = owned(contents, slot);
      Object after = content.fold(before, record);
      if (after != before) {
        contents.value(slot, after);
      }
      if (last <= now) {
        emit(key, start, start + size, after);
      }
    }
    return taken;
  }

  private Pane pane(long start) {
    if (recent == null || recent.start != start) {
      recent = find(start);
    }
    return recent;
  }

  private Pane find(long start) {
    int low = 0;
    int high = panes.size();
    while (low < high) {
      int middle = low + high >>> 1;
      if (panes.get(middle).start < start) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low < panes.size() && panes.get(low).start == start) {
      return panes.get(low);
    }
    Pane pane = new Pane(start);
    panes.add(low, pane);
    if (start + size - 1 <= currentTime) {
      fired++;
    }
    return pane;
  }

  @Override
  public boolean fire() {
    while (fired < panes.size() && panes.get(fired).start + size - 1 <= currentTime) {
      if (!fire(panes.get(fired))) {
        return false;
      }
      fired++;
      removeClosed();
    }
    removeClosed();
    return true;
  }

  private void removeClosed() {
    int over = 0;
    while (over < fired && plus(panes.get(over).start + size - 1, lateness) <= currentTime) {
      over++;
    }
    if (over > 0) {
      panes.subList(0, over).clear();
      fired -= over;
      recent = null;
    }
  }

  private boolean fire(Pane pane) {
    KeyTable contents = pane.contents;
    long last = pane.start + size - 1;
    boolean mayHaveFired = isAhead(last);
    int slot;
    while ((slot = contents.next(cursor)) >= 0) {
      if (budget.isExhausted()) {
        return false;
      }
      cursor = slot + 1;
      if (!mayHaveFired || !isAhead(contents.key(slot), last)) {
        emit(contents, slot, pane.start, pane.start + size, contents.value(slot));
      }
    }
    cursor = 0;
    return true;
  }

  @Override
  String stateName() {
    return "windows";
  }

  @Override
  List<StatePart> freeze() {
    List<StatePart> parts = new ArrayList<>(panes.size());
    for (Pane pane : panes) {
      parts.add(pane.contents.freeze().asState(stateInfo(), pane.start, pane.start + size));
    }
    return parts;
  }

  @Override
  void restore(Object key, RestoredWindow window) {
    if (window.end() - window.start() != size
        || windows.lastStart(window.start()) != window.start()) {
      throw changed(window.start(), window.end(), size);
    }
    KeyTable contents = pane(window.start()).contents;
    contents.value(contents.slot(key), window.content());
  }

  @Override
  void restored() {
    fired = 0;
    while (fired < panes.size() && panes.get(fired).start + size - 1 <= currentTime) {
      fired++;
    }
  }

  @Override
  public long nextFiring() {
    return panes.isEmpty() ? Long.MAX_VALUE : panes.get(0).start + size - 1;
  }
}
