package io.millrace.bench.load;

import java.util.concurrent.ConcurrentHashMap;

/** The result of a word count in this process: the last count of each word. */
public final class WordTotals {
  private static final ConcurrentHashMap<String, Long> COUNTS = new ConcurrentHashMap<>();

  private WordTotals() {}

  public static void put(String word, long count) {
    COUNTS.put(word, count);
  }

  public static int words() {
    return COUNTS.size();
  }

  public static long total() {
    return COUNTS.values().stream().mapToLong(Long::longValue).sum();
  }
}
