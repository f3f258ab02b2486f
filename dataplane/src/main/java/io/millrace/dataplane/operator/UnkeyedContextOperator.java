package io.millrace.dataplane.operator;

import io.millrace.api.function.Collector;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessFunction;

/** An operator that is the context of its function, which has no timers. */
abstract class UnkeyedContextOperator extends StreamOperator implements ProcessFunction.Context {
  final OperatorContext context;
  final Collector<Object> out;
  private final TaskClock clock;
  private final SideOutputs sideOutputs;
  private long watermark = Long.MIN_VALUE;

  UnkeyedContextOperator(OperatorContext context, OperatorOutputs outputs) {
    this.context = context;
    this.clock = context.task().clock();
    this.out = new OutputCollector(context.task(), outputs.main());
    this.sideOutputs = outputs.sideOutputs();
  }

  @Override
  public final void watermark(long now) {
    watermark = now;
  }

  @Override
  public final long timestamp() {
    return clock.timestamp;
  }

  @Override
  public final long currentWatermark() {
    return watermark;
  }

  @Override
  public final long currentProcessingTime() {
    return clock.read();
  }

  @Override
  public final <X> void output(OutputTag<X> tag, X record) {
    sideOutputs.emit(tag, record);
  }
}
