package io.millrace.api.time;

/** Generates the watermarks of one subtask. */
public interface WatermarkGenerator<T> {
  /** Called after each record. */
  void onEvent(T record, long timestamp, WatermarkOutput output) throws Exception;

  /** Called every {@code pipeline.auto-watermark-interval}. */
  default void onPeriodicEmit(WatermarkOutput output) throws Exception {}
}
