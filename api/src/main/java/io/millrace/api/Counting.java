package io.millrace.api;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.NumberFold;

final class Counting<T, K>
    implements AggregateFunction<T, Tally<K>, Counted<K>>, NumberFold<T, K, Counted<K>> {
  private static final long serialVersionUID = 1L;

  private final KeySelector<? super T, K> key;

  Counting(KeySelector<? super T, K> key) {
    this.key = key;
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
    tally.value++;
    return tally;
  }

  @Override
  public Counted<K> result(Tally<K> tally) {
    return new Counted<>(tally.key, tally.value);
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
