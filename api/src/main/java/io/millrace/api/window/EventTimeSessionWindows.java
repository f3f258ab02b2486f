package io.millrace.api.window;

import java.time.Duration;

/** Windows in event time that end when a key has no record for a while. */
public final class EventTimeSessionWindows {
  private EventTimeSessionWindows() {}

  public static WindowAssigner withGap(Duration gap) {
    return new WindowAssigner.Session(gap.toMillis(), true);
  }
}
