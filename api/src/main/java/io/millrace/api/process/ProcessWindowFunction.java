package io.millrace.api.process;

import io.millrace.api.function.Collector;
import io.millrace.api.window.TimeWindow;
import java.io.Serializable;

/**
 * Makes results of a window of one key when it fires.
 *
 * @param <T> what the window holds: its records, or the one result of what they were folded into
 * @param <R> results
 * @param <K> keys
 */
@FunctionalInterface
public interface ProcessWindowFunction<T, R, K> extends Serializable {
  void process(K key, Context context, Iterable<T> content, Collector<R> out) throws Exception;

  /** What surrounds a window. Valid only during the call. */
  interface Context {
    TimeWindow window();

    /** How far event time is. */
    long currentWatermark();

    /** Milliseconds since 1970. */
    long currentProcessingTime();

    /** Emits into a side output. */
    <X> void output(OutputTag<X> tag, X record);
  }
}
