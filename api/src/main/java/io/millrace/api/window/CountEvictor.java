package io.millrace.api.window;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;

/**
 * Keeps the last records of a window.
 *
 * <pre>{@code
 * // The sum of the last ten orders of a customer, with each order.
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(CountTrigger.of(1))
 *     .evictor(CountEvictor.of(10))
 *     .sum(Order::cents)
 *     .print();
 * }</pre>
 */
public final class CountEvictor<T> extends EvictorAroundFunction<T> {
  private static final long serialVersionUID = 1L;

  private final int most;

  private CountEvictor(int most, boolean after) {
    super(after);
    this.most = most;
  }

  /** Removes others before the window function. */
  public static <T> CountEvictor<T> of(int records) {
    return of(records, false);
  }

  /**
   * @param after whether others are removed after the window function
   */
  public static <T> CountEvictor<T> of(int records, boolean after) {
    if (records < 0) {
      throw new MillraceException(
          ErrorKind.USER, "An evictor keeps 0 records or more, not " + records + ".");
    }
    return new CountEvictor<>(records, after);
  }

  @Override
  void evict(List<TimestampedValue<T>> records) {
    records.subList(0, Math.max(0, records.size() - most)).clear();
  }
}
