package io.millrace.api.window;

import java.time.Duration;

/**
 * Sliding windows in processing time.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .window(SlidingProcessingTimeWindows.of(Duration.ofHours(1), Duration.ofMinutes(5)))
 *     .count()
 *     .print();
 * }</pre>
 */
public final class SlidingProcessingTimeWindows {
  private SlidingProcessingTimeWindows() {}

  public static WindowAssigner of(Duration size, Duration slide) {
    return of(size, slide, Duration.ZERO);
  }

  /** With windows that begin at multiples of the slide plus the offset. */
  public static WindowAssigner of(Duration size, Duration slide, Duration offset) {
    return new WindowAssigner.Aligned(size.toMillis(), slide.toMillis(), offset.toMillis(), false);
  }
}
