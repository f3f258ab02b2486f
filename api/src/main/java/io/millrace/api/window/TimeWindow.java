package io.millrace.api.window;

import java.io.Serializable;

/**
 * The time from start, included, to end, excluded.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
 *     .process((customer, window, records) -> customer + " until " + window.end())
 *     .print();
 * }</pre>
 *
 * @param start in milliseconds
 * @param end in milliseconds
 */
public record TimeWindow(long start, long end) implements Serializable {
  public TimeWindow {
    if (end <= start) {
      throw new IllegalArgumentException("A window from " + start + " to " + end);
    }
  }

  /** The last moment that belongs to the window. */
  public long maxTimestamp() {
    return end - 1;
  }
}
