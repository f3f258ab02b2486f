package io.millrace.sim;

import java.time.Duration;

/** A coordination service, into which faults can be injected. */
public interface Coordination {
  /** Whether a process leads according to the service, which the process may not know yet. */
  boolean leads(SimProcess process, String component);

  /** Sets the maximum delay of notifications. */
  void longestLag(Duration lag);

  /** Ends the session of a process; the process is notified after the given time. */
  void expire(String process, Duration unnoticed);

  /** A process is frozen for a time from now on. */
  void freezes(String process, Duration time);
}
