package io.millrace.dataplane.operator;

import io.millrace.api.custom.OperatorOutput;
import io.millrace.api.function.Collector;
import io.millrace.api.process.OutputTag;

/** The output of a custom operator: records, side outputs and watermarks. */
final class CustomOutput implements OperatorOutput<Object> {
  private final TaskClock clock;
  private final Collector<Object> main;
  private final SideOutputs sideOutputs;
  private final WatermarkTargets targets;
  private long emitted = Long.MIN_VALUE;

  CustomOutput(TaskEnvironment task, OperatorOutputs outputs) {
    this.clock = task.clock();
    this.main = new OutputCollector(task, outputs.main());
    this.sideOutputs = outputs.sideOutputs();
    this.targets = outputs.watermarkTargets();
  }

  @Override
  public void emit(Object record) {
    main.emit(record);
  }

  @Override
  public void emit(Object record, long timestamp) {
    long before = clock.timestamp;
    clock.timestamp = timestamp;
    main.emit(record);
    clock.timestamp = before;
  }

  @Override
  public <X> void output(OutputTag<X> tag, X record) {
    sideOutputs.emit(tag, record);
  }

  @Override
  public void emitWatermark(long watermark) {
    if (watermark > emitted) {
      emitted = watermark;
      targets.watermark(watermark);
    }
  }

  void idle(boolean idle) {
    targets.idle(idle);
  }
}
