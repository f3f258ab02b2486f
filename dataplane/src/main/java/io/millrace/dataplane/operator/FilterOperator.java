package io.millrace.dataplane.operator;

import io.millrace.api.function.FilterFunction;

/** Runs a {@link FilterFunction}. */
public final class FilterOperator extends StreamOperator {
  private final OperatorContext context;
  private final FilterFunction<Object> function;
  private final StreamOperator next;

  FilterOperator(OperatorContext context, FilterFunction<Object> function, StreamOperator next) {
    this.context = context;
    this.function = function;
    this.next = next;
  }

  @Override
  public void processElement(Object record) {
    boolean keep;
    try {
      keep = function.keep(record);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
    if (keep) {
      next.processElement(record);
    }
  }
}
