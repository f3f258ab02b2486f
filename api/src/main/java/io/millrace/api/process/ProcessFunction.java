package io.millrace.api.process;

import io.millrace.api.function.Collector;

/**
 * Emits any number of records for each record, to the main output and to side outputs, with access
 * to timestamps.
 *
 * <pre>{@code
 * OutputTag<Order> free = new OutputTag<>("free");
 * DataStream<Order> paid =
 *     orders.process(
 *         (order, context, out) -> {
 *           if (order.cents() == 0) {
 *             context.output(free, order);
 *           } else {
 *             out.emit(order);
 *           }
 *         });
 * paid.sideOutput(free).print();
 * }</pre>
 *
 * @param <T> records
 * @param <R> results
 */
@FunctionalInterface
public interface ProcessFunction<T, R> extends RichFunction {
  void process(T record, Context context, Collector<R> out) throws Exception;

  /** The context of a record. Valid only during the call. */
  interface Context {
    /** The record's event time, {@link io.millrace.api.time.Timestamps#NONE} if it has none. */
    long timestamp();

    /** The current watermark; {@link Long#MIN_VALUE} before the first one. */
    long currentWatermark();

    /** Milliseconds since the epoch. */
    long currentProcessingTime();

    /** Emits into a side output. */
    <X> void output(OutputTag<X> tag, X record);
  }
}
