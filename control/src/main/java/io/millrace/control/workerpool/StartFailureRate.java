package io.millrace.control.workerpool;

import io.millrace.core.config.Durations;
import io.millrace.core.config.ResourceManagerOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Starts that failed lately, and when the next one may be tried. */
final class StartFailureRate {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();

  private final WorkerPoolSettings settings;
  private final Deque<Long> lastMinute = new ArrayDeque<>();
  private long nextStart = Long.MIN_VALUE;
  private String lastReason = "";

  StartFailureRate(WorkerPoolSettings settings) {
    this.settings = settings;
  }

  void add(String reason, long now) {
    forgetOld(now);
    lastMinute.add(now);
    lastReason = reason.endsWith(".") ? reason : reason + ".";
    nextStart = now + settings.retry().toNanos();
    if (lastMinute.size() > settings.failures()) {
      nextStart = Math.max(nextStart, lastMinute.getFirst() + MINUTE);
    }
  }

  /** A worker that came shows that the cause is mended. */
  void workerCame() {
    lastMinute.clear();
    lastReason = "";
    nextStart = Long.MIN_VALUE;
  }

  boolean mayStart(long now) {
    return nextStart <= now;
  }

  long nextStart() {
    return nextStart;
  }

  boolean isPaused(long now) {
    forgetOld(now);
    return lastMinute.size() > settings.failures();
  }

  boolean any() {
    return !lastReason.isEmpty();
  }

  /** What is wrong and when it is tried again, as sentences. */
  String sentence(long now) {
    return "The last start of a worker failed: "
        + lastReason
        + (isPaused(now)
            ? " Starting pauses, "
                + lastMinute.size()
                + " starts having failed within a minute ("
                + ResourceManagerOptions.START_WORKER_MAX_FAILURE_RATE.key()
                + ")."
            : " It is tried again every "
                + Durations.readable(settings.retry())
                + " ("
                + ResourceManagerOptions.START_WORKER_RETRY_INTERVAL.key()
                + ").");
  }

  private void forgetOld(long now) {
    while (!lastMinute.isEmpty() && lastMinute.getFirst() + MINUTE <= now) {
      lastMinute.removeFirst();
    }
  }
}
