package io.millrace.dataplane;

import io.millrace.api.OutputTag;
import io.millrace.api.function.Collector;
import io.millrace.api.function.ProcessFunction;

/** A process function without keys. */
final class Processing extends Stage implements ProcessFunction.Context {
  private final Stages.Place place;
  private final TaskTime time;
  private final ProcessFunction<Object, Object> function;
  private final Collector<Object> out;
  private final SideOutputs sides;
  private long watermark = Long.MIN_VALUE;

  Processing(Stages.Place place, ProcessFunction<Object, Object> function, Outputs outputs) {
    this.place = place;
    this.time = place.task().time();
    this.function = function;
    this.out = new Emit(place.task(), outputs.main());
    this.sides = outputs.sides();
  }

  @Override
  void push(Object record) {
    try {
      function.process(record, this, out);
    } catch (Throwable thrown) {
      throw place.failed(thrown, record);
    }
  }

  @Override
  void watermark(long now) {
    watermark = now;
  }

  @Override
  public long timestamp() {
    return time.timestamp;
  }

  @Override
  public long currentWatermark() {
    return watermark;
  }

  @Override
  public long currentProcessingTime() {
    return time.read();
  }

  @Override
  public <X> void output(OutputTag<X> tag, X record) {
    sides.emit(tag, record);
  }
}
