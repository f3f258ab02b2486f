package io.millrace.api.function;

import java.io.Serializable;

/**
 * Emits any number of results for each record of two connected streams.
 *
 * <pre>{@code
 * class LargeOnes implements CoFlatMapFunction<Order, Payment, String> {
 *   public void flatMap1(Order order, Collector<String> out) {
 *     if (order.cents() > 100_000) {
 *       out.emit("order of " + order.customer());
 *     }
 *   }
 *
 *   public void flatMap2(Payment payment, Collector<String> out) {
 *     if (payment.cents() > 100_000) {
 *       out.emit("payment of " + payment.customer());
 *     }
 *   }
 * }
 *
 * orders.connect(payments).flatMap(new LargeOnes()).print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <R> results
 */
public interface CoFlatMapFunction<A, B, R> extends Serializable {
  void flatMap1(A record, Collector<R> out) throws Exception;

  void flatMap2(B record, Collector<R> out) throws Exception;
}
