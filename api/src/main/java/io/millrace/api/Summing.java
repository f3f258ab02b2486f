package io.millrace.api;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.LongExtractor;

final class Summing<T, K> implements AggregateFunction<T, Tally<K>, Summed<K>> {
  private static final long serialVersionUID = 1L;

  private final KeySelector<? super T, K> key;
  private final LongExtractor<? super T> value;

  Summing(KeySelector<? super T, K> key, LongExtractor<? super T> value) {
    this.key = key;
    this.value = value;
  }

  @Override
  public Tally<K> create() {
    return new Tally<>();
  }

  @Override
  public Tally<K> add(Tally<K> tally, T record) throws Exception {
    if (tally.key == null) {
      tally.key = key.key(record);
    }
    tally.value = Math.addExact(tally.value, value.extract(record));
    return tally;
  }

  @Override
  public Summed<K> result(Tally<K> tally) {
    return new Summed<>(tally.key, tally.value);
  }
}
