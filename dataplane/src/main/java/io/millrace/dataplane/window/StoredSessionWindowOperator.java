package io.millrace.dataplane.window;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.store.StoredSession;
import io.millrace.dataplane.store.StoredSessions;
import io.millrace.dataplane.store.StoredState;
import io.millrace.dataplane.store.StoredTimers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Session windows in a store. All sessions of a key are one entry: most keys have one or two. A key
 * with sessions has a timer at or before the time at which the first of them fires or closes.
 */
final class StoredSessionWindowOperator extends WindowOperator {
  private static final StateInfo TIMERS =
      new StateInfo("session-timers", StateKind.EVENT_TIMERS, false);

  private final long gap;
  private final StoredState store;
  private final StoredSessions sessions;
  private final StoredTimers timers;

  StoredSessionWindowOperator(
      OperatorContext context,
      OperatorSpec.Window spec,
      WindowAssigner.Session windows,
      OperatorOutputs outputs,
      Optional<KeyedStateBackend> functionState,
      StoredState store) {
    super(context, spec, outputs, functionState);
    this.gap = windows.gap();
    this.store = store;
    this.sessions = store.sessions(stateInfoIn(store));
    this.timers = store.timers(TIMERS, true);
  }

  @Override
  boolean add(Object key, Object record, long timestamp, long now) throws Exception {
    byte[] bytes = store.keyOf(key);
    long end = plus(timestamp, gap);
    List<StoredSession> before = new ArrayList<>();
    List<StoredSession> after = new ArrayList<>();
    long first = timestamp;
    long last = end;
    // A new session counts as fired: it has no timer yet.
    boolean fired = true;
    Object whole = null;
    for (StoredSession session : sessions.get(bytes)) {
      if (session.end() < timestamp) {
        before.add(session);
      } else if (session.start() > end) {
        after.add(session);
      } else {
        first = Math.min(first, session.start());
        last = Math.max(last, session.end());
        fired &= session.fired();
        whole = whole == null ? session.content() : merged(key, whole, session.content());
      }
    }
    if (whole == null && plus(end - 1, lateness) <= now) {
      return false;
    }
    boolean due = last - 1 <= now;
    StoredSession grown = new StoredSession(first, last, due, content.fold(whole, record));
    before.add(grown);
    before.addAll(after);
    sessions.put(bytes, before);
    if (fired) {
      timers.add(due ? plus(last - 1, lateness) : last - 1, bytes);
    }
    if (due) {
      emit(key, first, last, grown.content());
    }
    return true;
  }

  private Object merged(Object key, Object earlier, Object later) throws Exception {
    content.enter(key);
    Object merged = content.merge(earlier, later);
    content.leave();
    return merged;
  }

  @Override
  boolean fire() {
    while (!timers.isEmpty() && timers.firstTime() <= currentTime) {
      if (budget.isExhausted()) {
        return false;
      }
      review(timers.poll());
    }
    return true;
  }

  /** Fires and removes the due sessions of a key and sets a timer for the first of the others. */
  private void review(byte[] bytes) {
    long next = Long.MAX_VALUE;
    List<StoredSession> known = sessions.get(bytes);
    List<StoredSession> left = new ArrayList<>(known.size());
    List<StoredSession> due = new ArrayList<>(1);
    for (StoredSession session : known) {
      long last = session.end() - 1;
      boolean fires = !session.fired() && last <= currentTime;
      if (fires) {
        due.add(session);
      }
      boolean fired = session.fired() || fires;
      if (!fired || plus(last, lateness) > currentTime) {
        left.add(session.withFired(fired));
        next = Math.min(next, fired ? plus(last, lateness) : last);
      }
    }
    if (!left.isEmpty()) {
      timers.add(next, bytes);
    }
    if (!due.isEmpty() || left.size() < known.size()) {
      sessions.put(bytes, left);
    }
    if (!due.isEmpty()) {
      Object key = store.decodeKey(bytes);
      due.forEach(session -> emit(key, session.start(), session.end(), session.content()));
    }
  }

  @Override
  String stateName() {
    return "sessions";
  }

  @Override
  List<StatePart> freeze() {
    throw new IllegalStateException("The store has the state");
  }

  @Override
  void restore(Object key, RestoredWindow window) {
    byte[] bytes = store.keyOf(key);
    sessions.restore(
        bytes, new StoredSession(window.start(), window.end(), window.fired(), window.content()));
    long last = window.end() - 1;
    timers.add(window.fired() ? plus(last, lateness) : last, bytes);
  }

  @Override
  void restored() {
    sessions.restored();
  }

  @Override
  long nextFiring() {
    return timers.isEmpty() ? Long.MAX_VALUE : timers.firstTime();
  }
}
