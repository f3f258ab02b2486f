package io.millrace.api.tuple;

import java.io.Serializable;

/**
 * Five values.
 *
 * <pre>{@code
 * Tuple5<String, String, Integer, Long, Double> row =
 *     Tuple5.of("CH", "Bern", 3011, 134_000L, 51.6);
 * env.fromElements(row).keyBy(Tuple5::f0).sum(Tuple5::f3).print();
 * }</pre>
 */
public record Tuple5<A, B, C, D, E>(A f0, B f1, C f2, D f3, E f4) implements Serializable {
  public static <A, B, C, D, E> Tuple5<A, B, C, D, E> of(A f0, B f1, C f2, D f3, E f4) {
    return new Tuple5<>(f0, f1, f2, f3, f4);
  }
}
