package io.millrace.api;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.LongExtractor;
import io.millrace.api.operator.LongFold;
import java.util.Objects;

final class SumAggregate<T, K>
    implements AggregateFunction<T, KeyedAccumulator<K>, Summed<K>>, LongFold<T, K, Summed<K>> {
  private static final long serialVersionUID = 1L;

  private final KeySelector<? super T, K> key;
  private final LongExtractor<? super T> value;

  SumAggregate(KeySelector<? super T, K> key, LongExtractor<? super T> value) {
    this.key = key;
    this.value = Objects.requireNonNull(value, "value");
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
    accumulator.value = Math.addExact(accumulator.value, value.extract(record));
    return accumulator;
  }

  @Override
  public Summed<K> result(KeyedAccumulator<K> accumulator) {
    return new Summed<>(accumulator.key, accumulator.value);
  }

  @Override
  public KeyedAccumulator<K> merge(KeyedAccumulator<K> left, KeyedAccumulator<K> right) {
    if (left.key == null) {
      left.key = right.key;
    }
    left.value = Math.addExact(left.value, right.value);
    return left;
  }

  @Override
  public long fold(long sum, T record) throws Exception {
    return Math.addExact(sum, value.extract(record));
  }

  @Override
  public Summed<K> result(K summed, long sum) {
    return new Summed<>(summed, sum);
  }
}
