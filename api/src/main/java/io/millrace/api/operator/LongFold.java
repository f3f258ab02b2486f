package io.millrace.api.operator;

/**
 * An aggregation whose accumulator is a long, initially 0. The engine stores it without an object.
 *
 * @param <T> records
 * @param <K> keys
 * @param <R> results
 */
public interface LongFold<T, K, R> {
  long fold(long number, T record) throws Exception;

  R result(K key, long number);
}
