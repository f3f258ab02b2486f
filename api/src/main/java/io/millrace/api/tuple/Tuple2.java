package io.millrace.api.tuple;

import java.io.Serializable;

/**
 * Two values.
 *
 * <pre>{@code
 * orders
 *     .map(order -> Tuple2.of(order.customer(), order.cents()))
 *     .keyBy(Tuple2::f0)
 *     .sum(Tuple2::f1)
 *     .print();
 * }</pre>
 */
public record Tuple2<A, B>(A f0, B f1) implements Serializable {
  public static <A, B> Tuple2<A, B> of(A f0, B f1) {
    return new Tuple2<>(f0, f1);
  }
}
