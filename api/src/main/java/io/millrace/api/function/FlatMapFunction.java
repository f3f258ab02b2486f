package io.millrace.api.function;

import java.io.Serializable;

/**
 * Turns each record into any number of others.
 *
 * <pre>{@code
 * FlatMapFunction<Order, String> names =
 *     (order, out) -> {
 *       if (!order.customer().isEmpty()) {
 *         out.emit(order.customer());
 *       }
 *     };
 * orders.flatMap(names).print();
 * }</pre>
 */
@FunctionalInterface
public interface FlatMapFunction<T, R> extends Serializable {
  void flatMap(T record, Collector<R> out) throws Exception;
}
