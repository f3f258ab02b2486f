package io.millrace.dataplane.window;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.state.FrozenKeys;
import io.millrace.dataplane.state.FrozenTable;
import io.millrace.dataplane.state.KeyTable;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.state.TablePart;
import io.millrace.dataplane.state.TimerQueue;
import java.util.List;
import java.util.Optional;

/**
 * Session windows: a session of a key grows while records come within the gap. Each key has a list
 * of sessions in order of time; most keys have one. A key with sessions has a timer at or before
 * the time at which the first of them fires or closes. If that session has grown when the timer
 * fires, a new timer is set, so that a record needs no timer.
 */
final class SessionWindowOperator extends WindowOperator {
  private static final class Session {
    long start;
    long end;
    Object content;
    boolean fired;
    Session next;
  }

  private final long gap;
  private final KeyTable sessions = new KeyTable();
  private final TimerQueue timers = new TimerQueue();

  /** The last session that was restored, and its slot; none before the first and after the last. */
  private Session lastRestored;

  private int lastRestoredSlot;

  SessionWindowOperator(
      OperatorContext context,
      OperatorSpec.Window spec,
      WindowAssigner.Session windows,
      OperatorOutputs outputs,
      Optional<KeyedStateBackend> functionState) {
    super(context, spec, outputs, functionState);
    this.gap = windows.gap();
  }

  @Override
  public boolean add(Object key, Object record, long timestamp, long now) throws Exception {
    int slot = sessions.slot(key);
    Session first = own(slot);
    long end = plus(timestamp, gap);
    Session before = null;
    Session session = first;
    while (session != null && session.end < timestamp) {
      before = session;
      session = session.next;
    }
    if (session != null && session.start <= end) {
      grow(key, session, timestamp, end);
    } else {
      if (plus(end - 1, lateness) <= now) {
        if (first == null) {
          sessions.remove(slot);
        }
        return false;
      }
      Session later = session;
      session = new Session();
      session.start = timestamp;
      session.end = end;
      session.fired = true;
      session.next = later;
      if (before == null) {
        sessions.value(slot, session);
      } else {
        before.next = session;
      }
    }
    session.content = content.fold(session.content, record);
    if (session.end - 1 <= now) {
      if (session.fired) {
        timers.add(plus(session.end - 1, lateness), slot);
      }
      session.fired = true;
      emit(key, session.start, session.end, session.content);
    } else if (session.fired) {
      session.fired = false;
      timers.add(session.end - 1, slot);
    }
    return true;
  }

  /** Extends a session and merges it with the sessions that it reaches. */
  private void grow(Object key, Session session, long start, long end) throws Exception {
    session.start = Math.min(session.start, start);
    while (session.next != null && session.next.start <= end) {
      Session later = session.next;
      content.enter(key);
      session.content = content.merge(session.content, later.content);
      content.leave();
      session.end = later.end;
      session.fired &= later.fired;
      session.next = later.next;
    }
    session.end = Math.max(session.end, end);
  }

  @Override
  public boolean fire() {
    while (!timers.isEmpty() && timers.firstTime() <= currentTime) {
      if (budget.isExhausted()) {
        return false;
      }
      review(timers.poll());
    }
    return true;
  }

  /** Fires and removes the due sessions of a key and sets a timer for the first of the others. */
  private void review(int slot) {
    Session before = null;
    long next = Long.MAX_VALUE;
    // The slot may be free or belong to another key by now; its sessions are checked all the same.
    for (Session session = own(slot); session != null; session = session.next) {
      long last = session.end - 1;
      if (!session.fired && last <= currentTime) {
        session.fired = true;
        emit(sessions, slot, session.start, session.end, session.content);
      }
      if (session.fired && plus(last, lateness) <= currentTime) {
        if (before != null) {
          before.next = session.next;
        } else if (session.next != null) {
          sessions.value(slot, session.next);
        } else {
          sessions.remove(slot);
        }
      } else {
        next = Math.min(next, session.fired ? plus(last, lateness) : last);
        before = session;
        if (!session.fired) {
          // All later sessions end later, so that none of them is due. There are many of them if
          // one source is far ahead of another.
          break;
        }
      }
    }
    if (before != null) {
      timers.add(next, slot);
    }
  }

  /** The first session of a key; all of its sessions may be changed. */
  private Session own(int slot) {
    return (Session) sessions.owned(slot, this::copy);
  }

  private Object copy(Object first) {
    Session copy = new Session();
    Session last = copy;
    for (Session session = (Session) first; session != null; session = session.next) {
      last.next = new Session();
      last = last.next;
      last.start = session.start;
      last.end = session.end;
      last.content = copyForChange(session.content);
      last.fired = session.fired;
    }
    return copy.next;
  }

  @Override
  String stateName() {
    return "sessions";
  }

  @Override
  List<StatePart> freeze() {
    FrozenTable frozen = sessions.freeze();
    StateInfo info = stateInfo();
    return List.of(
        new TablePart() {
          @Override
          public StateInfo info() {
            return info;
          }

          @Override
          public FrozenKeys keys() {
            return frozen.keys();
          }

          @Override
          public void entries(int slot, EntryConsumer out) {
            for (Session session = (Session) frozen.value(slot);
                session != null;
                session = session.next) {
              out.accept(session.start, session.end, session.content);
            }
          }

          @Override
          public void release() {
            frozen.release();
          }
        });
  }

  @Override
  void restore(Object key, RestoredWindow window) {
    Session restored = new Session();
    restored.start = window.start();
    restored.end = window.end();
    restored.content = window.content();
    restored.fired = window.fired();
    int slot = sessions.slot(key);
    Session before =
        lastRestored != null && lastRestoredSlot == slot
            ? lastRestored
            : (Session) sessions.value(slot);
    if (before == null) {
      sessions.value(slot, restored);
    } else {
      // A checkpoint has the sessions of a key one after the other and in order of time.
      while (before.next != null) {
        before = before.next;
      }
      before.next = restored;
    }
    lastRestored = restored;
    lastRestoredSlot = slot;
    long last = restored.end - 1;
    timers.add(restored.fired ? plus(last, lateness) : last, slot);
  }

  @Override
  void restored() {
    lastRestored = null;
  }

  @Override
  public long nextFiring() {
    return timers.isEmpty() ? Long.MAX_VALUE : timers.firstTime();
  }
}
