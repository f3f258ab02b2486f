package io.millrace.dataplane.state;

import java.util.Objects;

/**
 * A keyed state of an operator.
 *
 * @param namespaced whether an entry belongs to a window, that is to a start and an end
 * @param timed whether an entry has the time of its last update, for a time to live; it takes the
 *     place of the start
 */
public record StateInfo(String name, StateKind kind, boolean namespaced, boolean timed) {
  public static final StateInfo EVENT_TIMERS =
      new StateInfo("event-timers", StateKind.EVENT_TIMERS, false);
  public static final StateInfo PROCESSING_TIMERS =
      new StateInfo("processing-timers", StateKind.PROCESSING_TIMERS, false);

  public StateInfo(String name, StateKind kind, boolean namespaced) {
    this(name, kind, namespaced, false);
  }

  public StateInfo {
    Objects.requireNonNull(name);
    Objects.requireNonNull(kind);
    if (namespaced && timed) {
      throw new IllegalArgumentException("The state of a window has no time to live");
    }
  }
}
