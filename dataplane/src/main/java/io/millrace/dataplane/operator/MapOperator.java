package io.millrace.dataplane.operator;

import io.millrace.api.function.MapFunction;

/** Runs a {@link MapFunction}. */
public final class MapOperator extends StreamOperator {
  private final OperatorContext context;
  private final MapFunction<Object, Object> function;
  private final StreamOperator next;

  MapOperator(OperatorContext context, MapFunction<Object, Object> function, StreamOperator next) {
    this.context = context;
    this.function = function;
    this.next = next;
  }

  @Override
  public void processElement(Object record) {
    Object result;
    try {
      result = function.map(record);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
    next.processElement(result);
  }
}
