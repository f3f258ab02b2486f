package io.millrace.api.tuple;

import java.io.Serializable;

/**
 * Six values.
 *
 * <pre>{@code
 * Tuple6<String, String, Integer, Long, Double, Boolean> row =
 *     Tuple6.of("CH", "Bern", 3011, 134_000L, 51.6, true);
 * env.fromElements(row).filter(Tuple6::f5).print();
 * }</pre>
 */
public record Tuple6<A, B, C, D, E, F>(A f0, B f1, C f2, D f3, E f4, F f5) implements Serializable {
  public static <A, B, C, D, E, F> Tuple6<A, B, C, D, E, F> of(A f0, B f1, C f2, D f3, E f4, F f5) {
    return new Tuple6<>(f0, f1, f2, f3, f4, f5);
  }
}
