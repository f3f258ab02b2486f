package io.millrace.dataplane.operator;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.dataplane.state.KeyedStateBackend;

/** Runs a {@link KeyedProcessFunction}: keys, states and timers. */
public final class KeyedProcessOperator extends TimerServiceOperator {
  private final KeyedProcessFunction<Object, Object, Object> function;

  KeyedProcessOperator(
      OperatorContext context,
      OperatorSpec.KeyedProcessing spec,
      KeyedStateBackend store,
      OperatorOutputs outputs) {
    super(context, spec.key(), store, outputs);
    this.function = spec.function();
  }

  @Override
  public void processElement(Object record) {
    try {
      store.enter(keyOf(record));
      function.process(record, this, out);
      store.leave();
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  void onTimer(long time) throws Exception {
    function.onTimer(time, this, out);
  }
}
