package io.millrace.connector.jdbc;

import io.millrace.api.function.MapFunction;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes records on, and throws the first times that a test wants it to. */
final class FailsOnce implements MapFunction<Long, Long> {
  private static final long serialVersionUID = 1L;

  /** By the name of the test. Static, because tasks run in this JVM. */
  private static final Map<String, AtomicInteger> FAILURES = new ConcurrentHashMap<>();

  private final String test;

  FailsOnce(String test) {
    this.test = test;
  }

  /** The next record that a task gets fails it. */
  static void fail(String test) {
    FAILURES.computeIfAbsent(test, name -> new AtomicInteger()).incrementAndGet();
  }

  static boolean hasFailed(String test) {
    return FAILURES.get(test).get() == 0;
  }

  @Override
  public Long map(Long value) {
    AtomicInteger failures = FAILURES.get(test);
    if (failures != null && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IllegalStateException("a failure that the test wants");
    }
    return value;
  }
}
