package io.millrace.api.window;

import java.time.Duration;

/**
 * Session windows in event time.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .window(EventTimeSessionWindows.withGap(Duration.ofMinutes(30)))
 *     .count()
 *     .print();
 * }</pre>
 */
public final class EventTimeSessionWindows {
  private EventTimeSessionWindows() {}

  public static WindowAssigner withGap(Duration gap) {
    return new WindowAssigner.Session(gap.toMillis(), true);
  }

  /** With a gap that depends on the record: a session ends after the gap of one of its records. */
  public static <T> WindowAssigner withDynamicGap(SessionWindowTimeGapExtractor<T> gap) {
    return WindowAssigner.DynamicSession.of(gap, true);
  }
}
