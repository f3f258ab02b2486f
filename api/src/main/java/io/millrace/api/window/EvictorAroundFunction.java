package io.millrace.api.window;

import java.util.List;

/** An evictor that removes records either before or after the window function. */
abstract sealed class EvictorAroundFunction<T> implements Evictor<T>
    permits CountEvictor, DeltaEvictor, TimeEvictor {
  private static final long serialVersionUID = 1L;

  private final boolean after;

  /**
   * @param after whether records are removed after the window function
   */
  EvictorAroundFunction(boolean after) {
    this.after = after;
  }

  abstract void evict(List<TimestampedValue<T>> records);

  @Override
  public final void evictBefore(
      List<TimestampedValue<T>> records, TimeWindow window, EvictorContext context) {
    if (!after) {
      evict(records);
    }
  }

  @Override
  public final void evictAfter(
      List<TimestampedValue<T>> records, TimeWindow window, EvictorContext context) {
    if (after) {
      evict(records);
    }
  }
}
