package io.millrace.api.time;

/** Emits watermarks at a fixed distance behind the highest timestamp. */
final class BoundedOutOfOrdernessWatermarks<T> implements WatermarkGenerator<T> {
  private final long distance;
  private long highest = Long.MIN_VALUE;

  BoundedOutOfOrdernessWatermarks(long disorder) {
    // Another record with the highest timestamp may follow.
    this.distance = disorder + 1;
  }

  @Override
  public void onEvent(T record, long timestamp, WatermarkOutput output) {
    highest = Math.max(highest, timestamp);
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (highest >= Long.MIN_VALUE + distance) {
      output.emitWatermark(highest - distance);
    }
  }
}
