package io.millrace.api.function;

import java.io.Serializable;

/**
 * Emits any number of results for the records of two streams with the same key and window. One side
 * may be empty.
 *
 * <pre>{@code
 * CoGroupFunction<Order, Payment, Order> unpaid =
 *     (ordered, paid, out) -> {
 *       if (!paid.iterator().hasNext()) {
 *         ordered.forEach(out::emit);
 *       }
 *     };
 * orders
 *     .coGroup(payments)
 *     .where(Order::customer)
 *     .equalTo(Payment::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
 *     .apply(unpaid)
 *     .print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <R> results
 */
@FunctionalInterface
public interface CoGroupFunction<A, B, R> extends Serializable {
  void coGroup(Iterable<A> first, Iterable<B> second, Collector<R> out) throws Exception;
}
