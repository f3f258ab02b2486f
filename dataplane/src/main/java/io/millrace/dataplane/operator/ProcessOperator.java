package io.millrace.dataplane.operator;

import io.millrace.api.function.Collector;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessFunction;

/** Runs a {@link ProcessFunction}. */
public final class ProcessOperator extends StreamOperator implements ProcessFunction.Context {
  private final OperatorContext context;
  private final TaskClock clock;
  private final ProcessFunction<Object, Object> function;
  private final Collector<Object> out;
  private final SideOutputs sideOutputs;
  private long watermark = Long.MIN_VALUE;

  ProcessOperator(
      OperatorContext context, ProcessFunction<Object, Object> function, OperatorOutputs outputs) {
    this.context = context;
    this.clock = context.task().clock();
    this.function = function;
    this.out = new OutputCollector(context.task(), outputs.main());
    this.sideOutputs = outputs.sideOutputs();
  }

  @Override
  public void processElement(Object record) {
    try {
      function.process(record, this, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  public void watermark(long now) {
    watermark = now;
  }

  @Override
  public long timestamp() {
    return clock.timestamp;
  }

  @Override
  public long currentWatermark() {
    return watermark;
  }

  @Override
  public long currentProcessingTime() {
    return clock.read();
  }

  @Override
  public <X> void output(OutputTag<X> tag, X record) {
    sideOutputs.emit(tag, record);
  }
}
