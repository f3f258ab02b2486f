package io.millrace.api;

import io.millrace.api.function.ReduceFunction;
import io.millrace.api.function.ValueExtractor;
import java.util.Objects;

/** Keeps the record with the lowest or highest value; the first of several. */
final class ExtremeRecord<T, V extends Comparable<? super V>> implements ReduceFunction<T> {
  private static final long serialVersionUID = 1L;

  private final ValueExtractor<? super T, V> value;
  private final boolean lowest;

  ExtremeRecord(ValueExtractor<? super T, V> value, boolean lowest) {
    this.value = Objects.requireNonNull(value, "value");
    this.lowest = lowest;
  }

  @Override
  public T reduce(T left, T right) throws Exception {
    int order = value.extract(right).compareTo(value.extract(left));
    return (lowest ? order < 0 : order > 0) ? right : left;
  }
}
