package io.millrace.api.window;

import java.time.Duration;

/**
 * Tumbling windows in processing time.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .window(TumblingProcessingTimeWindows.of(Duration.ofMinutes(1)))
 *     .count()
 *     .print();
 * }</pre>
 */
public final class TumblingProcessingTimeWindows {
  private TumblingProcessingTimeWindows() {}

  public static WindowAssigner of(Duration size) {
    return of(size, Duration.ZERO);
  }

  /** With windows that begin at multiples of the size plus the offset. */
  public static WindowAssigner of(Duration size, Duration offset) {
    return new WindowAssigner.Aligned(size.toMillis(), size.toMillis(), offset.toMillis(), false);
  }
}
