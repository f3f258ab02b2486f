package io.millrace.dataplane.operator;

import io.millrace.api.process.ProcessFunction;

/** Runs a {@link ProcessFunction}. */
public final class ProcessOperator extends UnkeyedContextOperator {
  private final ProcessFunction<Object, Object> function;

  ProcessOperator(
      OperatorContext context, ProcessFunction<Object, Object> function, OperatorOutputs outputs) {
    super(context, outputs);
    this.function = function;
  }

  @Override
  public void processElement(Object record) {
    try {
      function.process(record, this, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }
}
