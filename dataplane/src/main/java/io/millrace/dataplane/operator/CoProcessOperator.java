package io.millrace.dataplane.operator;

import io.millrace.api.process.CoProcessFunction;

/** Runs a {@link CoProcessFunction}. */
public final class CoProcessOperator extends UnkeyedContextOperator
    implements TwoInputs, CoProcessFunction.Context {
  private final CoProcessFunction<Object, Object, Object> function;

  CoProcessOperator(
      OperatorContext context,
      CoProcessFunction<Object, Object, Object> function,
      OperatorOutputs outputs) {
    super(context, outputs);
    this.function = function;
  }

  @Override
  public void processElement(Object record) {
    try {
      function.process1(record, this, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  public void processSecond(Object record) {
    try {
      function.process2(record, this, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }
}
