package io.millrace.api;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.LongFold;

final class CountAggregate<T, K>
    implements AggregateFunction<T, KeyedAccumulator<K>, Counted<K>>, LongFold<T, K, Counted<K>> {
  private static final long serialVersionUID = 1L;

  private final KeySelector<? super T, K> key;

  CountAggregate(KeySelector<? super T, K> key) {
    this.key = key;
  }

  @Override
  public KeyedAccumulator<K> create() {
    return new KeyedAccumulator<>();
  }

  @Override
  public KeyedAccumulator<K> add(KeyedAccumulator<K> accumulator, T record) throws Exception {
    if (accumulator.key == null) {
      accumulator.key = key.key(record);
    }
    accumulator.value++;
    return accumulator;
  }

  @Override
  public Counted<K> result(KeyedAccumulator<K> accumulator) {
    return new Counted<>(accumulator.key, accumulator.value);
  }

  @Override
  public KeyedAccumulator<K> merge(KeyedAccumulator<K> left, KeyedAccumulator<K> right) {
    if (left.key == null) {
      left.key = right.key;
    }
    left.value += right.value;
    return left;
  }

  @Override
  public long fold(long count, T record) {
    return count + 1;
  }

  @Override
  public Counted<K> result(K counted, long count) {
    return new Counted<>(counted, count);
  }
}
