package io.millrace.api.window;

import java.util.List;
import java.util.Objects;

/**
 * Keeps the records whose distance to the last one is below a threshold.
 *
 * <pre>{@code
 * // The orders that differ from the last one by less than a euro.
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(CountTrigger.of(1))
 *     .evictor(DeltaEvictor.of(100, (older, newer) -> newer.cents() - older.cents()))
 *     .count()
 *     .print();
 * }</pre>
 */
public final class DeltaEvictor<T> extends EvictorAroundFunction<T> {
  private static final long serialVersionUID = 1L;

  private final double threshold;
  private final DeltaFunction<? super T> function;

  private DeltaEvictor(double threshold, DeltaFunction<? super T> function, boolean after) {
    super(after);
    this.threshold = threshold;
    this.function = Objects.requireNonNull(function, "function");
  }

  /** Removes others before the window function. */
  public static <T> DeltaEvictor<T> of(double threshold, DeltaFunction<? super T> function) {
    return of(threshold, function, false);
  }

  /**
   * @param after whether others are removed after the window function
   */
  public static <T> DeltaEvictor<T> of(
      double threshold, DeltaFunction<? super T> function, boolean after) {
    return new DeltaEvictor<>(threshold, function, after);
  }

  @Override
  void evict(List<TimestampedValue<T>> records) {
    if (!records.isEmpty()) {
      T last = records.get(records.size() - 1).value();
      records.removeIf(record -> function.delta(record.value(), last) >= threshold);
    }
  }
}
