package io.millrace.api.function;

import java.io.Serializable;

/**
 * Emits any number of results for two records that match. In an outer join the record of a side
 * that has no match is null.
 *
 * <pre>{@code
 * orders
 *     .join(payments)
 *     .where(Order::customer)
 *     .equalTo(Payment::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
 *     .apply(
 *         String.class,
 *         (order, payment, out) -> {
 *           if (payment.cents() >= order.cents()) {
 *             out.emit(order.customer());
 *           }
 *         })
 *     .print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <R> results
 */
@FunctionalInterface
public interface FlatJoinFunction<A, B, R> extends Serializable {
  void join(A first, B second, Collector<R> out) throws Exception;
}
