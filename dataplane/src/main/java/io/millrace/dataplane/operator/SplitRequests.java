package io.millrace.dataplane.operator;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many splits each reader of a source has asked the enumerator for, since the tasks started. A
 * request names the sum of all requests so far, so that repeating one has no effect. Any thread may
 * call it.
 */
public final class SplitRequests {
  private final Map<Integer, Long> requested = new ConcurrentHashMap<>();

  /** A reader asks for splits. */
  public void request(int reader, long total) {
    requested.merge(reader, total, Math::max);
  }

  /** The number of splits that a reader has asked for. */
  long of(int reader) {
    return requested.getOrDefault(reader, 0L);
  }
}
