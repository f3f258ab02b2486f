package io.millrace.api.process;

import io.millrace.api.window.TimeWindow;
import java.io.Serializable;

/**
 * Makes one result of a window of one key when it fires. The compiler infers the type of the result
 * from a lambda of this kind, because it returns it; that of a {@link ProcessWindowFunction} does
 * not tell.
 *
 * <pre>{@code
 * WindowMapFunction<Long, String, String> line =
 *     (customer, window, cents) -> customer + " until " + window.end() + ": " + cents;
 * }</pre>
 *
 * @param <V> what the window holds: an {@link Iterable} of its records, or what they were folded
 *     into
 * @param <R> results
 * @param <K> keys
 */
@FunctionalInterface
public interface WindowMapFunction<V, R, K> extends Serializable {
  R map(K key, TimeWindow window, V content) throws Exception;
}
