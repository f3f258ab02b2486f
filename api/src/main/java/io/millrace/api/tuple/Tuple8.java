package io.millrace.api.tuple;

import java.io.Serializable;

/**
 * Eight values.
 *
 * <pre>{@code
 * Tuple8<String, String, Integer, Long, Double, Boolean, LocalDate, Integer> row =
 *     Tuple8.of("CH", "Bern", 3011, 134_000L, 51.6, true, LocalDate.of(1848, 11, 28), 540);
 * env.fromElements(row).filter(city -> city.f7() > 500).map(Tuple8::f1).print();
 * }</pre>
 */
public record Tuple8<A, B, C, D, E, F, G, H>(A f0, B f1, C f2, D f3, E f4, F f5, G f6, H f7)
    implements Serializable {
  public static <A, B, C, D, E, F, G, H> Tuple8<A, B, C, D, E, F, G, H> of(
      A f0, B f1, C f2, D f3, E f4, F f5, G f6, H f7) {
    return new Tuple8<>(f0, f1, f2, f3, f4, f5, f6, f7);
  }
}
