package io.millrace.sim;

import java.time.Duration;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The splits that a simulated source reads. Each advances by one record per millisecond up to its
 * end, unless a savepoint stops the job.
 */
final class SimSplits {
  /** The time in which a split advances by one record. */
  static final long RECORD_NANOS = 1_000_000;

  private final Duration longestRun;

  private NavigableMap<String, Long> from;
  private long since;
  private boolean stopped;

  /**
   * @param initial the positions when the source starts
   */
  SimSplits(NavigableMap<String, Long> initial, Duration longestRun) {
    this.from = initial;
    this.longestRun = longestRun;
  }

  void start(long now) {
    since = now;
  }

  /** The positions now. */
  NavigableMap<String, Long> read(long now) {
    if (stopped) {
      return from;
    }
    NavigableMap<String, Long> read = new TreeMap<>();
    long passed = (now - since) / RECORD_NANOS;
    from.forEach(
        (split, position) ->
            read.put(split, Math.min(SimDataflow.end(split, longestRun), position + passed)));
    return read;
  }

  boolean isAtEnd(long now) {
    return read(now).entrySet().stream()
        .allMatch(split -> split.getValue() == SimDataflow.end(split.getKey(), longestRun));
  }

  /** The time until all splits are at their ends. */
  Duration left(long now) {
    long left = 0;
    for (var split : read(now).entrySet()) {
      left = Math.max(left, SimDataflow.end(split.getKey(), longestRun) - split.getValue());
    }
    return Duration.ofMillis(left);
  }

  /** Reads nothing more. */
  void stop(long now) {
    from = read(now);
    stopped = true;
  }

  /** Reads again. */
  void resume(long now) {
    since = now;
    stopped = false;
  }
}
