package io.millrace.api.window;

/**
 * One window for all records of a key. It fires when its trigger says so.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(PurgingTrigger.of(CountTrigger.of(100)))
 *     .sum(Order::cents)
 *     .print();
 * }</pre>
 */
public final class GlobalWindows {
  /** The window, whose bounds are those of time. */
  public static final TimeWindow WINDOW = new TimeWindow(Long.MIN_VALUE, Long.MAX_VALUE);

  private GlobalWindows() {}

  public static WindowAssigner create() {
    return new WindowAssigner.Global();
  }
}
