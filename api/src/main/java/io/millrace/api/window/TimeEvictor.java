package io.millrace.api.window;

import io.millrace.api.time.Timestamps;
import java.time.Duration;
import java.util.List;

/**
 * Keeps the records that are not older than the newest one by more than a time.
 *
 * <pre>{@code
 * // The sum of the last hour, with each order.
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(CountTrigger.of(1))
 *     .evictor(TimeEvictor.of(Duration.ofHours(1)))
 *     .sum(Order::cents)
 *     .print();
 * }</pre>
 */
public final class TimeEvictor<T> extends EvictorAroundFunction<T> {
  private static final long serialVersionUID = 1L;

  private final long most;

  private TimeEvictor(long most, boolean after) {
    super(after);
    this.most = most;
  }

  /** Removes others before the window function. */
  public static <T> TimeEvictor<T> of(Duration time) {
    return of(time, false);
  }

  /**
   * @param after whether others are removed after the window function
   */
  public static <T> TimeEvictor<T> of(Duration time, boolean after) {
    return new TimeEvictor<>(time.toMillis(), after);
  }

  @Override
  void evict(List<TimestampedValue<T>> records) {
    long newest =
        records.stream().mapToLong(TimestampedValue::timestamp).max().orElse(Timestamps.NONE);
    if (newest != Timestamps.NONE) {
      records.removeIf(record -> record.timestamp() < newest - most);
    }
  }
}
