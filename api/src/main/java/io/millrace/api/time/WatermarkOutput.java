package io.millrace.api.time;

/**
 * Takes the watermarks of a generator.
 *
 * <pre>{@code
 * // Emits a watermark with each order, and does not hold others back in the meantime.
 * class Eager implements WatermarkGenerator<Order> {
 *   public void onEvent(Order order, long timestamp, WatermarkOutput output) {
 *     output.emitWatermark(timestamp);
 *     output.markIdle();
 *   }
 * }
 *
 * orders.assignTimestampsAndWatermarks(WatermarkStrategy.forGenerator(Eager::new));
 * }</pre>
 */
public interface WatermarkOutput {
  /** No record with this timestamp or an earlier one is expected; one below the last is ignored. */
  void emitWatermark(long time);

  /** The stream does not hold event time back until its next record or watermark. */
  void markIdle();
}
