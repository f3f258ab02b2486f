package io.millrace.api.time;

import java.io.Serializable;

/**
 * Assigns event timestamps to records.
 *
 * <pre>{@code
 * TimestampAssigner<Order> times = (order, before) -> order.time() > 0 ? order.time() : before;
 * orders.assignTimestampsAndWatermarks(
 *     WatermarkStrategy.forMonotonousTimestamps().withTimestampAssigner(times));
 * }</pre>
 */
@FunctionalInterface
public interface TimestampAssigner<T> extends Serializable {
  /**
   * The record's event time.
   *
   * @param before the previous timestamp, {@link Timestamps#NONE} if there is none
   */
  long timestamp(T record, long before) throws Exception;
}
