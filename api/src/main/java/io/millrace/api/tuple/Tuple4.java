package io.millrace.api.tuple;

import java.io.Serializable;

/** Four values. */
public record Tuple4<A, B, C, D>(A f0, B f1, C f2, D f3) implements Serializable {
  public static <A, B, C, D> Tuple4<A, B, C, D> of(A f0, B f1, C f2, D f3) {
    return new Tuple4<>(f0, f1, f2, f3);
  }
}
