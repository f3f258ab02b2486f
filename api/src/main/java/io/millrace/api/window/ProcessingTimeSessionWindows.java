package io.millrace.api.window;

import java.time.Duration;

/**
 * Session windows in processing time.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .window(ProcessingTimeSessionWindows.withGap(Duration.ofMinutes(30)))
 *     .count()
 *     .print();
 * }</pre>
 */
public final class ProcessingTimeSessionWindows {
  private ProcessingTimeSessionWindows() {}

  public static WindowAssigner withGap(Duration gap) {
    return new WindowAssigner.Session(gap.toMillis(), false);
  }

  /** With a gap that depends on the record: a session ends after the gap of one of its records. */
  public static <T> WindowAssigner withDynamicGap(SessionWindowTimeGapExtractor<T> gap) {
    return WindowAssigner.DynamicSession.of(gap, false);
  }
}
