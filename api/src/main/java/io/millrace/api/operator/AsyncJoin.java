package io.millrace.api.operator;

import io.millrace.api.async.AsyncFunction;
import java.util.Collection;

/**
 * An asynchronous function whose answers are joined with their record. The engine calls {@link
 * #join} in the thread of the task, because a function of the program computes the results.
 *
 * @param <T> records
 * @param <V> the values that requests are answered with
 */
public interface AsyncJoin<T, V> extends AsyncFunction<T, V> {
  /** The results of a record. */
  Collection<?> join(T record, Collection<? extends V> values) throws Exception;
}
