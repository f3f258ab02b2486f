package io.millrace.api.window;

import java.time.Duration;

/** Session windows in event time. */
public final class EventTimeSessionWindows {
  private EventTimeSessionWindows() {}

  public static WindowAssigner withGap(Duration gap) {
    return new WindowAssigner.Session(gap.toMillis(), true);
  }
}
