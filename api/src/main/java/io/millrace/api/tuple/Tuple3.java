package io.millrace.api.tuple;

import java.io.Serializable;

/** Three values. */
public record Tuple3<A, B, C>(A f0, B f1, C f2) implements Serializable {
  public static <A, B, C> Tuple3<A, B, C> of(A f0, B f1, C f2) {
    return new Tuple3<>(f0, f1, f2);
  }
}
