package io.millrace.api.window;

import java.util.List;
import java.util.Objects;

/** Keeps the records whose distance to the last one is below a threshold. */
public final class DeltaEvictor<T> implements Evictor<T> {
  private static final long serialVersionUID = 1L;

  private final double threshold;
  private final DeltaFunction<? super T> function;
  private final boolean after;

  private DeltaEvictor(double threshold, DeltaFunction<? super T> function, boolean after) {
    this.threshold = threshold;
    this.function = Objects.requireNonNull(function, "function");
    this.after = after;
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
  public void evictBefore(
      List<TimestampedValue<T>> records, TimeWindow window, EvictorContext context) {
    if (!after) {
      evict(records);
    }
  }

  @Override
  public void evictAfter(
      List<TimestampedValue<T>> records, TimeWindow window, EvictorContext context) {
    if (after) {
      evict(records);
    }
  }

  private void evict(List<TimestampedValue<T>> records) {
    if (!records.isEmpty()) {
      T last = records.get(records.size() - 1).value();
      records.removeIf(record -> function.delta(record.value(), last) >= threshold);
    }
  }
}
