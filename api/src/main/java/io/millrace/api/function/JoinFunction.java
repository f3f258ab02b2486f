package io.millrace.api.function;

import java.io.Serializable;

/**
 * Joins two records. In an outer join the record of a side that has no match is null.
 *
 * <pre>{@code
 * JoinFunction<Order, Payment, Long> difference =
 *     (order, payment) -> order.cents() - payment.cents();
 * orders
 *     .join(payments)
 *     .where(Order::customer)
 *     .equalTo(Payment::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
 *     .apply(difference)
 *     .print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <R> results
 */
@FunctionalInterface
public interface JoinFunction<A, B, R> extends Serializable {
  R join(A first, B second) throws Exception;
}
