package io.millrace.api.tuple;

import java.io.Serializable;

/**
 * Four values.
 *
 * <pre>{@code
 * DataStream<Tuple4<String, Long, Long, Boolean>> orders4 =
 *     orders.map(
 *         order -> Tuple4.of(order.customer(), order.time(), order.cents(), order.cents() > 0));
 * orders4.filter(Tuple4::f3).print();
 * }</pre>
 */
public record Tuple4<A, B, C, D>(A f0, B f1, C f2, D f3) implements Serializable {
  public static <A, B, C, D> Tuple4<A, B, C, D> of(A f0, B f1, C f2, D f3) {
    return new Tuple4<>(f0, f1, f2, f3);
  }
}
