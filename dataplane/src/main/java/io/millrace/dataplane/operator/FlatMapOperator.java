package io.millrace.dataplane.operator;

import io.millrace.api.function.Collector;
import io.millrace.api.function.FlatMapFunction;

/** Runs a {@link FlatMapFunction}. */
public final class FlatMapOperator extends StreamOperator {
  private final OperatorContext context;
  private final FlatMapFunction<Object, Object> function;
  private final Collector<Object> out;

  FlatMapOperator(
      OperatorContext context, FlatMapFunction<Object, Object> function, StreamOperator next) {
    this.context = context;
    this.function = function;
    this.out = new OutputCollector(context.task(), next);
  }

  @Override
  public void processElement(Object record) {
    try {
      function.flatMap(record, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }
}
