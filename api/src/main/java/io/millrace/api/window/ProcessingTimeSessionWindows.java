package io.millrace.api.window;

import java.time.Duration;

/** Windows in processing time that end when a key has no record for a while. */
public final class ProcessingTimeSessionWindows {
  private ProcessingTimeSessionWindows() {}

  public static WindowAssigner withGap(Duration gap) {
    return new WindowAssigner.Session(gap.toMillis(), false);
  }
}
