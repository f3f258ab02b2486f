package io.millrace.api.process;

import io.millrace.api.function.Collector;
import java.io.Serializable;

/**
 * Computes the results of a window of a stream without keys when it fires.
 *
 * <pre>{@code
 * ProcessAllWindowFunction<String, Integer> size =
 *     (context, words, out) -> {
 *       int count = 0;
 *       for (String word : words) {
 *         count++;
 *       }
 *       out.emit(count);
 *     };
 * }</pre>
 *
 * @param <T> the records of the window
 * @param <R> results
 */
@FunctionalInterface
public interface ProcessAllWindowFunction<T, R> extends Serializable {
  void process(ProcessWindowFunction.Context context, Iterable<T> content, Collector<R> out)
      throws Exception;

  /** As {@link ProcessWindowFunction#clear}. */
  default void clear(ProcessWindowFunction.Context context) throws Exception {}
}
