package io.millrace.api.function;

import java.io.Serializable;

/**
 * Emits any number of results for each record of two connected streams.
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <R> results
 */
public interface CoFlatMapFunction<A, B, R> extends Serializable {
  void flatMap1(A record, Collector<R> out) throws Exception;

  void flatMap2(B record, Collector<R> out) throws Exception;
}
