package io.millrace.api.time;

/**
 * Generates the watermarks of one subtask.
 *
 * <pre>{@code
 * // An order of 0 cents says that all earlier orders are there.
 * class Marked implements WatermarkGenerator<Order> {
 *   public void onEvent(Order order, long timestamp, WatermarkOutput output) {
 *     if (order.cents() == 0) {
 *       output.emitWatermark(timestamp);
 *     }
 *   }
 * }
 *
 * WatermarkStrategy<Order> strategy =
 *     WatermarkStrategy.forGenerator(Marked::new)
 *         .withTimestampAssigner((order, before) -> order.time());
 * }</pre>
 */
public interface WatermarkGenerator<T> {
  /** Called after each record. */
  void onEvent(T record, long timestamp, WatermarkOutput output) throws Exception;

  /** Called every {@code pipeline.auto-watermark-interval}. */
  default void onPeriodicEmit(WatermarkOutput output) throws Exception {}
}
