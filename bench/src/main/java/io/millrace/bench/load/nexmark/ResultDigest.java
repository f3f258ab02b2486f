package io.millrace.bench.load.nexmark;

import io.millrace.bench.load.nexmark.NexmarkResults.CategoryAverage;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process-wide digest of results that does not depend on their order, so that engines can be
 * compared. Of the running averages of a category only the last one counts.
 */
public final class ResultDigest {
  private static final AtomicLong SUM = new AtomicLong();
  private static final AtomicLong COUNT = new AtomicLong();
  private static final Map<Long, CategoryAverage> AVERAGES = new ConcurrentHashMap<>();

  private ResultDigest() {}

  public static void add(Object result) {
    COUNT.incrementAndGet();
    if (result instanceof CategoryAverage average) {
      AVERAGES.merge(average.category(), average, (a, b) -> a.auctions() > b.auctions() ? a : b);
    } else {
      SUM.addAndGet(hash(result));
    }
  }

  /** The number of results. */
  public static long count() {
    return COUNT.get();
  }

  /** A number of 32 bits, which a double holds exactly. */
  public static long value() {
    long sum = SUM.get() + AVERAGES.values().stream().mapToLong(ResultDigest::hash).sum();
    return (sum ^ sum >>> 32) & 0xFFFFFFFFL;
  }

  private static long hash(Object result) {
    return result.toString().hashCode() * 0x9E3779B97F4A7C15L;
  }
}
