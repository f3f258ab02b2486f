package io.millrace.api.time;

/**
 * Timers of the current key. A key has at most one timer for a time of each kind: registering it
 * again changes nothing. At the end of the input all timers that are left fire, event time first;
 * processing-time timers registered then do not.
 */
public interface TimerService {
  /** The current watermark; {@link Long#MIN_VALUE} before the first one. */
  long currentWatermark();

  /** Milliseconds since the epoch. */
  long currentProcessingTime();

  /** Fires when event time reaches this point; if it has already, with the next watermark. */
  void registerEventTimeTimer(long time);

  void registerProcessingTimeTimer(long time);

  /** Deletes a timer if it exists. */
  void deleteEventTimeTimer(long time);

  void deleteProcessingTimeTimer(long time);
}
