package io.millrace.api.source;

import java.time.Duration;

/** When a generator emits how many records. */
interface Pace {
  /** How many records are due, at most the limit. */
  int allowed(int limit);

  void emitted(int records);

  /** The time until there is a record to emit, at most. */
  Duration untilNext();
}
