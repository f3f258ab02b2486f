package io.millrace.api.time;

/**
 * Timers of the key at work. A key has at most one timer for a time of each kind: registering it
 * again changes nothing. At the end of the input all timers that are left fire, event time first;
 * processing-time timers registered then do not.
 */
public interface TimerService {
  /** How far event time is; {@link Long#MIN_VALUE} before the first watermark. */
  long currentWatermark();

  /** Milliseconds since 1970. */
  long currentProcessingTime();

  /** Fires when event time reaches this point; if it has already, with the next watermark. */
  void registerEventTimeTimer(long time);

  void registerProcessingTimeTimer(long time);

  /** Takes a timer back; nothing happens if there is none. */
  void deleteEventTimeTimer(long time);

  void deleteProcessingTimeTimer(long time);
}
