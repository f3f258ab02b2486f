package io.millrace.dataplane.operator;

import io.millrace.api.function.CoFlatMapFunction;
import io.millrace.api.function.Collector;

/** Runs a {@link CoFlatMapFunction}. */
public final class CoFlatMapOperator extends StreamOperator implements TwoInputs {
  private final OperatorContext context;
  private final CoFlatMapFunction<Object, Object, Object> function;
  private final Collector<Object> out;

  CoFlatMapOperator(
      OperatorContext context,
      CoFlatMapFunction<Object, Object, Object> function,
      StreamOperator next) {
    this.context = context;
    this.function = function;
    this.out = new OutputCollector(context.task(), next);
  }

  @Override
  public void processElement(Object record) {
    try {
      function.flatMap1(record, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  public void processSecond(Object record) {
    try {
      function.flatMap2(record, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }
}
