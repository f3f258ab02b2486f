package io.millrace.api;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.LongExtractor;
import io.millrace.api.operator.NumberFold;
import java.util.Objects;

final class Summing<T, K>
    implements AggregateFunction<T, Tally<K>, Summed<K>>, NumberFold<T, K, Summed<K>> {
  private static final long serialVersionUID = 1L;

  private final KeySelector<? super T, K> key;
  private final LongExtractor<? super T> value;

  Summing(KeySelector<? super T, K> key, LongExtractor<? super T> value) {
    this.key = key;
    this.value = Objects.requireNonNull(value, "value");
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

  @Override
  public long fold(long sum, T record) throws Exception {
    return Math.addExact(sum, value.extract(record));
  }

  @Override
  public Summed<K> result(K summed, long sum) {
    return new Summed<>(summed, sum);
  }
}
