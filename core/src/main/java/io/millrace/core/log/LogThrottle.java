package io.millrace.core.log;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Lets through a burst of lines about each source, then one in a while, which tells how many were
 * left out. Sources that are silent for long are forgotten, and only so many are kept apart; those
 * beyond share one account. From any thread.
 */
public final class LogThrottle {
  private static final int BURST = 10;
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final int MOST_SOURCES = 256;
  private static final String OTHERS = "";

  private final int burst;
  private final long intervalNanos;
  private final int mostSources;
  private final LongSupplier nanos;

  /** Ordered by the last use, so that the first ones are the ones to forget. */
  private final Map<String, Account> accounts = new LinkedHashMap<>(16, 0.75f, true);

  private static final class Account {
    int lines;
    long suppressed;
    long usedAt;
    long grantedAt;
  }

  /** Ten lines about a source, then one in half a minute. */
  public LogThrottle() {
    this(BURST, INTERVAL, MOST_SOURCES, System::nanoTime);
  }

  /**
   * @param burst lines about a source that may come at once
   * @param interval how long it takes until one more may come
   * @param mostSources that are kept apart
   */
  public LogThrottle(int burst, Duration interval, int mostSources, LongSupplier nanos) {
    this.burst = burst;
    this.intervalNanos = interval.toNanos();
    this.mostSources = mostSources;
    this.nanos = nanos;
  }

  /**
   * Logs a line, unless too many about the source came before it.
   *
   * @param source whom the line is about, such as a host
   * @param line logs; is given what to append, which is empty unless lines were left out
   */
  public void log(String source, Consumer<String> line) {
    long suppressed = take(source);
    if (suppressed >= 0) {
      line.accept(suppressed == 0 ? "" : " (" + suppressed + " such lines were left out)");
    }
  }

  /** How many lines were left out before this one; -1 where it is to be left out, too. */
  private synchronized long take(String source) {
    long now = nanos.getAsLong();
    forgetSilent(now);
    boolean known = accounts.containsKey(source) || accounts.size() < mostSources;
    Account account =
        accounts.computeIfAbsent(
            known ? source : OTHERS,
            key -> {
              Account fresh = new Account();
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

  private void forgetSilent(long now) {
    Iterator<Account> oldestFirst = accounts.values().iterator();
    while (oldestFirst.hasNext() && now - oldestFirst.next().usedAt > burst * intervalNanos) {
      oldestFirst.remove();
    }
  }
}
