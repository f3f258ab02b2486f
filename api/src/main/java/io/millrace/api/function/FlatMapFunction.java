package io.millrace.api.function;

import java.io.Serializable;

/** Turns each record into any number of others. */
@FunctionalInterface
public interface FlatMapFunction<T, R> extends Serializable {
  void flatMap(T record, Collector<R> out) throws Exception;
}
