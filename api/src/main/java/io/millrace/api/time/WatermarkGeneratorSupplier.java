package io.millrace.api.time;

import java.io.Serializable;

/**
 * Creates a generator for each subtask.
 *
 * <pre>{@code
 * WatermarkGeneratorSupplier<Order> each =
 *     () -> (order, timestamp, output) -> output.emitWatermark(timestamp - 1);
 * orders.assignTimestampsAndWatermarks(WatermarkStrategy.forGenerator(each));
 * }</pre>
 */
@FunctionalInterface
public interface WatermarkGeneratorSupplier<T> extends Serializable {
  WatermarkGenerator<T> generator() throws Exception;
}
