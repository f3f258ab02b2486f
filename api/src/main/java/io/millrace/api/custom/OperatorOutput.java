package io.millrace.api.custom;

import io.millrace.api.function.Collector;
import io.millrace.api.process.OutputTag;

/**
 * The output of a {@link CustomOperator}. Used in the calls of the operator only.
 *
 * <pre>{@code
 * OutputTag<Order> refunds = new OutputTag<>("refunds");
 *
 * class Invoices extends OneInputOperator<Order, Order> {
 *   public void process(Order order, Context context, OperatorOutput<Order> out) {
 *     if (order.cents() < 0) {
 *       out.output(refunds, order);
 *     } else {
 *       out.emit(order, order.time());
 *       out.emitWatermark(order.time() - 60_000);
 *     }
 *   }
 * }
 *
 * orders.transform("invoices", new Invoices()).sideOutput(refunds).print();
 * }</pre>
 *
 * @param <R> results
 */
public interface OperatorOutput<R> extends Collector<R> {
  /** Emits a record with a timestamp; {@code emit(record)} takes that of the input or timer. */
  void emit(R record, long timestamp);

  /** Emits into a side output. */
  <X> void output(OutputTag<X> tag, X record);

  /** Emits a watermark; one that is not above the last one is ignored. */
  void emitWatermark(long watermark);
}
