package io.millrace.api.operator;

/**
 * An aggregation of which only a number is kept for each key, 0 at first; the engine keeps it
 * without an object around it.
 *
 * @param <T> records
 * @param <K> keys
 * @param <R> results
 */
public interface LongFold<T, K, R> {
  long fold(long number, T record) throws Exception;

  R result(K key, long number);
}
