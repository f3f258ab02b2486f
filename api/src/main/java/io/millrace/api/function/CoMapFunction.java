package io.millrace.api.function;

import java.io.Serializable;

/**
 * Replaces each record of two connected streams by one result.
 *
 * <pre>{@code
 * class Amounts implements CoMapFunction<Order, Payment, Long> {
 *   public Long map1(Order order) {
 *     return order.cents();
 *   }
 *
 *   public Long map2(Payment payment) {
 *     return -payment.cents();
 *   }
 * }
 *
 * orders.connect(payments).map(new Amounts()).print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <R> results
 */
public interface CoMapFunction<A, B, R> extends Serializable {
  R map1(A record) throws Exception;

  R map2(B record) throws Exception;
}
