package io.millrace.dataplane.operator;

import io.millrace.api.function.CoMapFunction;

/** Runs a {@link CoMapFunction}. */
public final class CoMapOperator extends StreamOperator implements TwoInputs {
  private final OperatorContext context;
  private final CoMapFunction<Object, Object, Object> function;
  private final StreamOperator next;

  CoMapOperator(
      OperatorContext context,
      CoMapFunction<Object, Object, Object> function,
      StreamOperator next) {
    this.context = context;
    this.function = function;
    this.next = next;
  }

  @Override
  public void processElement(Object record) {
    Object result;
    try {
      result = function.map1(record);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
    next.processElement(result);
  }

  @Override
  public void processSecond(Object record) {
    Object result;
    try {
      result = function.map2(record);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
    next.processElement(result);
  }
}
