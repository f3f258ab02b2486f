package io.millrace.api.tuple;

import java.io.Serializable;

/**
 * Seven values.
 *
 * <pre>{@code
 * Tuple7<String, String, Integer, Long, Double, Boolean, LocalDate> row =
 *     Tuple7.of("CH", "Bern", 3011, 134_000L, 51.6, true, LocalDate.of(1848, 11, 28));
 * env.fromElements(row).map(Tuple7::f6).print();
 * }</pre>
 */
public record Tuple7<A, B, C, D, E, F, G>(A f0, B f1, C f2, D f3, E f4, F f5, G f6)
    implements Serializable {
  public static <A, B, C, D, E, F, G> Tuple7<A, B, C, D, E, F, G> of(
      A f0, B f1, C f2, D f3, E f4, F f5, G f6) {
    return new Tuple7<>(f0, f1, f2, f3, f4, f5, f6);
  }
}
