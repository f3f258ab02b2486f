package io.millrace.api.process;

import io.millrace.api.function.Collector;

/**
 * Makes any number of records of each, in the main output and in side outputs, and sees the
 * record's time.
 *
 * @param <T> records
 * @param <R> results
 */
@FunctionalInterface
public interface ProcessFunction<T, R> extends RichFunction {
  void process(T record, Context context, Collector<R> out) throws Exception;

  /** What surrounds a record. Valid only during the call. */
  interface Context {
    /** The record's event time, {@link io.millrace.api.time.Timestamps#NONE} if it has none. */
    long timestamp();

    /** How far event time is; {@link Long#MIN_VALUE} before the first watermark. */
    long currentWatermark();

    /** Milliseconds since 1970. */
    long currentProcessingTime();

    /** Emits into a side output. */
    <X> void output(OutputTag<X> tag, X record);
  }
}
