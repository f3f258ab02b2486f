package io.millrace.api.tuple;

import java.io.Serializable;

/**
 * Three values.
 *
 * <pre>{@code
 * orders
 *     .map(order -> Tuple3.of(order.customer(), order.time(), order.cents()))
 *     .keyBy(Tuple3::f0)
 *     .maxBy(Tuple3::f2)
 *     .print();
 * }</pre>
 */
public record Tuple3<A, B, C>(A f0, B f1, C f2) implements Serializable {
  public static <A, B, C> Tuple3<A, B, C> of(A f0, B f1, C f2) {
    return new Tuple3<>(f0, f1, f2);
  }
}
