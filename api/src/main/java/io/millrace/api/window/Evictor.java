package io.millrace.api.window;

import java.io.Serializable;
import java.util.List;

/**
 * Removes records from a window when it fires. A window with an evictor keeps all its records.
 *
 * <pre>{@code
 * Evictor<Order> paidOnly =
 *     (records, window, context) -> records.removeIf(record -> record.value().cents() == 0);
 * }</pre>
 *
 * @param <T> the records
 */
public interface Evictor<T> extends Serializable {
  /**
   * Called before the window function.
   *
   * @param records in the order in which they arrived; what is removed leaves the window
   */
  void evictBefore(List<TimestampedValue<T>> records, TimeWindow window, EvictorContext context)
      throws Exception;

  /** Called after the window function. */
  default void evictAfter(
      List<TimestampedValue<T>> records, TimeWindow window, EvictorContext context)
      throws Exception {}

  /** The context of a call. */
  interface EvictorContext {
    /** The current watermark; {@link Long#MIN_VALUE} before the first one. */
    long currentWatermark();

    /** Milliseconds since the epoch. */
    long currentProcessingTime();
  }
}
