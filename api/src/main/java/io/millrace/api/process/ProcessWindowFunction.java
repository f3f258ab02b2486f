package io.millrace.api.process;

import io.millrace.api.function.Collector;
import io.millrace.api.window.TimeWindow;
import java.io.Serializable;

/**
 * Computes the results of a window of one key when it fires.
 *
 * @param <T> the content of the window: its records, or the result of their aggregation
 * @param <R> results
 * @param <K> keys
 */
@FunctionalInterface
public interface ProcessWindowFunction<T, R, K> extends Serializable {
  void process(K key, Context context, Iterable<T> content, Collector<R> out) throws Exception;

  /** The context of a window. Valid only during the call. */
  interface Context {
    TimeWindow window();

    /** The current watermark. */
    long currentWatermark();

    /** Milliseconds since the epoch. */
    long currentProcessingTime();

    /** Emits into a side output. */
    <X> void output(OutputTag<X> tag, X record);
  }
}
