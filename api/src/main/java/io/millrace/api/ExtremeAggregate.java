package io.millrace.api;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.ValueExtractor;
import java.util.Objects;

/** The lowest or highest value of a key. */
final class ExtremeAggregate<T, K, V extends Comparable<? super V>>
    implements AggregateFunction<T, Extreme<K, V>, Extreme<K, V>> {
  private static final long serialVersionUID = 1L;

  private final KeySelector<? super T, K> key;
  private final ValueExtractor<? super T, V> value;
  private final boolean lowest;

  ExtremeAggregate(
      KeySelector<? super T, K> key, ValueExtractor<? super T, V> value, boolean lowest) {
    this.key = key;
    this.value = Objects.requireNonNull(value, "value");
    this.lowest = lowest;
  }

  @Override
  public Extreme<K, V> create() {
    return new Extreme<>(null, null);
  }

  @Override
  public Extreme<K, V> add(Extreme<K, V> extreme, T record) throws Exception {
    return merge(extreme, new Extreme<>(key.key(record), value.extract(record)));
  }

  @Override
  public Extreme<K, V> merge(Extreme<K, V> left, Extreme<K, V> right) {
    if (left.value() == null || right.value() == null) {
      return left.value() == null ? right : left;
    }
    int order = right.value().compareTo(left.value());
    return (lowest ? order < 0 : order > 0) ? right : left;
  }

  @Override
  public Extreme<K, V> result(Extreme<K, V> extreme) {
    return extreme;
  }
}
