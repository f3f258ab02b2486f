package io.millrace.api.source;

import io.millrace.api.function.Collector;

/** Takes the records of a source. A record must not be changed after it was emitted. */
@FunctionalInterface
public interface SourceOutput<T> extends Collector<T> {
  /**
   * Emits a record with its event time, which a {@link io.millrace.api.time.WatermarkStrategy}
   * without a timestamp assigner keeps. An output without event time drops it.
   *
   * @param timestamp milliseconds since the epoch
   */
  default void emit(T record, long timestamp) {
    emit(record);
  }
}
