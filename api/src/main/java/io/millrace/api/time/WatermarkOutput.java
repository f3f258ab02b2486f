package io.millrace.api.time;

/** Takes the watermarks of a generator. */
public interface WatermarkOutput {
  /** No record with this timestamp or an earlier one is expected; one below the last is ignored. */
  void emitWatermark(long time);

  /** The stream does not hold event time back until its next record or watermark. */
  void markIdle();
}
