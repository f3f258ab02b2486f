package io.millrace.api.window;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;

/** The times at which a continuous trigger fires: multiples of its interval. */
final class TriggerIntervals {
  private TriggerIntervals() {}

  static long millis(Duration interval) {
    if (interval.toMillis() < 1) {
      throw new MillraceException(
          ErrorKind.USER, "The interval of a trigger is 1 ms or more, not " + interval + ".");
    }
    return interval.toMillis();
  }

  /** The next multiple after a time, but not after the end of the window. */
  static long next(long time, long interval, TimeWindow window) {
    long next = time - Math.floorMod(time, interval) + interval;
    return next < time ? window.maxTimestamp() : Math.min(next, window.maxTimestamp());
  }
}
