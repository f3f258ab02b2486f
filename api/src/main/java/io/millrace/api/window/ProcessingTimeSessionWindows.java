package io.millrace.api.window;

import java.time.Duration;

/** Session windows in processing time. */
public final class ProcessingTimeSessionWindows {
  private ProcessingTimeSessionWindows() {}

  public static WindowAssigner withGap(Duration gap) {
    return new WindowAssigner.Session(gap.toMillis(), false);
  }
}
