package io.millrace.api.time;

/** Watches the records of one parallel instance and says how far event time is. */
public interface WatermarkGenerator<T> {
  /** Called behind each record. */
  void onEvent(T record, long timestamp, WatermarkOutput output) throws Exception;

  /** Called every {@code pipeline.auto-watermark-interval}. */
  default void onPeriodicEmit(WatermarkOutput output) throws Exception {}
}
