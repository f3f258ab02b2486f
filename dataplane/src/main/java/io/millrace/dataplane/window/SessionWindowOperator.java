package io.millrace.dataplane.window;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.window.WindowAssigner;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.state.KeyTable;
import io.millrace.dataplane.state.TimerQueue;

/**
 * Windows per key that grow as long as a record comes within the gap. A key has its sessions in a
 * list by time, most have one. A session has a timer at or before its end; when that fires too
 * early because the session has grown, it is set anew, so that a record costs no timer.
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

  SessionWindowOperator(
      OperatorContext context,
      OperatorSpec.Window spec,
      WindowAssigner.Session windows,
      OperatorOutputs outputs) {
    super(context, spec, outputs);
    this.gap = windows.gap();
  }

  @Override
  public boolean take(Object key, Object record, long timestamp) throws Exception {
    int slot = sessions.slot(key);
    Session first = (Session) sessions.value(slot);
    long end = plus(timestamp, gap);
    Session before = null;
    Session session = first;
    while (session != null && session.end < timestamp) {
      before = session;
      session = session.next;
    }
    if (session != null && session.start <= end) {
      grow(session, timestamp, end);
    } else {
      if (plus(end - 1, lateness) <= mark) {
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
    if (session.end - 1 <= mark) {
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

  /** Extends a session and takes in those it then touches. */
  private void grow(Session session, long start, long end) throws Exception {
    session.start = Math.min(session.start, start);
    while (session.next != null && session.next.start <= end) {
      Session later = session.next;
      session.content = content.merge(session.content, later.content);
      session.end = later.end;
      session.fired &= later.fired;
      session.next = later.next;
    }
    session.end = Math.max(session.end, end);
  }

  @Override
  public boolean fire() {
    while (!timers.isEmpty() && timers.firstTime() <= mark) {
      if (budget.isExhausted()) {
        return false;
      }
      review(timers.poll());
    }
    return true;
  }

  /** Fires and forgets sessions of a key and sets the timers of the others. */
  private void review(int slot) {
    Session before = null;
    // The slot may be free, or have another key since: then there is nothing to do, or less.
    for (Session session = (Session) sessions.value(slot);
        session != null;
        session = session.next) {
      long last = session.end - 1;
      if (!session.fired && last <= mark) {
        session.fired = true;
        emit(sessions, slot, session.start, session.end, session.content);
      }
      if (session.fired && plus(last, lateness) <= mark) {
        if (before != null) {
          before.next = session.next;
        } else if (session.next != null) {
          sessions.value(slot, session.next);
        } else {
          sessions.remove(slot);
        }
      } else {
        timers.add(session.fired ? plus(last, lateness) : last, slot);
        before = session;
      }
    }
  }

  @Override
  public long firstMoment() {
    return timers.isEmpty() ? Long.MAX_VALUE : timers.firstTime();
  }
}
