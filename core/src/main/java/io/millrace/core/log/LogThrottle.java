package io.millrace.core.log;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Limits log lines per source: a burst, then one line per interval, which reports how many were
 * suppressed. The number of sources is bounded: idle ones are removed, and sources beyond the limit
 * share one budget. Thread-safe.
 */
public final class LogThrottle {
  private static final int BURST = 10;
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final int MAX_SOURCES = 256;
  private static final String OTHERS = "";

  private final int burst;
  private final long intervalNanos;
  private final int maxSources;
  private final LongSupplier nanos;

  /** In access order, so that the least recently used source is first. */
  private final Map<String, Budget> budgets = new LinkedHashMap<>(16, 0.75f, true);

  private static final class Budget {
    int lines;
    long suppressed;
    long usedAt;
    long grantedAt;
  }

  /** Ten lines per source, then one per 30 seconds. */
  public LogThrottle() {
    this(BURST, INTERVAL, MAX_SOURCES, System::nanoTime);
  }

  /**
   * @param burst the number of lines per source without a limit
   * @param interval the time after which one more line is allowed
   * @param maxSources the maximum number of sources with their own budget
   */
  public LogThrottle(int burst, Duration interval, int maxSources, LongSupplier nanos) {
    this.burst = burst;
    this.intervalNanos = interval.toNanos();
    this.maxSources = maxSources;
    this.nanos = nanos;
  }

  /**
   * Logs a line unless the source has exceeded its budget.
   *
   * @param source the origin of the line, such as a remote host
   * @param line logs the line; its argument is a suffix, empty unless lines were suppressed
   */
  public void log(String source, Consumer<String> line) {
    long suppressed = take(source);
    if (suppressed >= 0) {
      line.accept(suppressed == 0 ? "" : " (" + suppressed + " such lines were suppressed)");
    }
  }

  /** The number of suppressed lines before this one; -1 if this one is suppressed, too. */
  private synchronized long take(String source) {
    long now = nanos.getAsLong();
    removeIdle(now);
    boolean known = budgets.containsKey(source) || budgets.size() < maxSources;
    Budget account =
        budgets.computeIfAbsent(
            known ? source : OTHERS,
            key -> {
              Budget fresh = new Budget();
              fresh.grantedAt = now;
              return fresh;
            });
    account.usedAt = now;
    long earned = (now - account.grantedAt) / intervalNanos;
    account.grantedAt += earned * intervalNanos;
    account.lines = (int) Math.max(0, account.lines - earned);
    if (account.lines >= burst) {
      account.suppressed++;
      return -1;
    }
    account.lines++;
    long before = account.suppressed;
    account.suppressed = 0;
    return before;
  }

  private void removeIdle(long now) {
    Iterator<Budget> oldestFirst = budgets.values().iterator();
    while (oldestFirst.hasNext() && now - oldestFirst.next().usedAt > burst * intervalNanos) {
      oldestFirst.remove();
    }
  }
}
