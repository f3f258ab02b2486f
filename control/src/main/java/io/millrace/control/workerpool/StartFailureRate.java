package io.millrace.control.workerpool;

import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason.StartsFailing;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** The failed starts of the last minute, and the time of the next permitted start. */
final class StartFailureRate {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();

  private final WorkerPoolSettings settings;
  private final Deque<Long> lastMinute = new ArrayDeque<>();
  private long nextStart = Long.MIN_VALUE;
  private Optional<Reason> last = Optional.empty();

  StartFailureRate(WorkerPoolSettings settings) {
    this.settings = settings;
  }

  void add(Reason reason, long now) {
    removeExpired(now);
    lastMinute.add(now);
    last = Optional.of(reason);
    nextStart = now + settings.retry().toNanos();
    if (lastMinute.size() > settings.failures()) {
      nextStart = Math.max(nextStart, lastMinute.getFirst() + MINUTE);
    }
  }

  /** A started worker has registered, so the cause of earlier failures no longer holds. */
  void reset() {
    lastMinute.clear();
    last = Optional.empty();
    nextStart = Long.MIN_VALUE;
  }

  boolean mayStart(long now) {
    return nextStart <= now;
  }

  long nextStart() {
    return nextStart;
  }

  boolean isPaused(long now) {
    removeExpired(now);
    return lastMinute.size() > settings.failures();
  }

  boolean any() {
    return last.isPresent();
  }

  /** The last failure and the retry interval. Requires {@link #any}. */
  StartsFailing reason(long now) {
    return new StartsFailing(
        last.orElseThrow(), lastMinute.size(), isPaused(now), settings.retry());
  }

  private void removeExpired(long now) {
    while (!lastMinute.isEmpty() && lastMinute.getFirst() + MINUTE <= now) {
      lastMinute.removeFirst();
    }
  }
}
