package io.millrace.examples;

import io.millrace.api.function.AggregateFunction;

/** Counts records. */
final class Count implements AggregateFunction<Object, long[], Long> {
  private static final long serialVersionUID = 1L;

  @Override
  public long[] create() {
    return new long[1];
  }

  @Override
  public long[] add(long[] count, Object record) {
    count[0]++;
    return count;
  }

  @Override
  public Long result(long[] count) {
    return count[0];
  }

  @Override
  public long[] merge(long[] left, long[] right) {
    left[0] += right[0];
    return left;
  }
}
