package io.millrace.api.process;

import io.millrace.api.function.Collector;
import java.io.Serializable;

/**
 * Computes the results of a window of a stream without keys when it fires.
 *
 * @param <T> the records of the window
 * @param <R> results
 */
@FunctionalInterface
public interface ProcessAllWindowFunction<T, R> extends Serializable {
  void process(ProcessWindowFunction.Context context, Iterable<T> content, Collector<R> out)
      throws Exception;
}
