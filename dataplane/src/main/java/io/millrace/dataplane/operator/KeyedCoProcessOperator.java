package io.millrace.dataplane.operator;

import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.dataplane.state.KeyedStateBackend;

/** Runs a {@link KeyedCoProcessFunction}: both inputs share keys, states and timers. */
public final class KeyedCoProcessOperator extends TimerServiceOperator implements TwoInputs {
  private final KeySelector<Object, Object> second;
  private final KeyedCoProcessFunction<Object, Object, Object, Object> function;

  KeyedCoProcessOperator(
      OperatorContext context,
      OperatorSpec.KeyedCoProcessing spec,
      KeyedStateBackend store,
      OperatorOutputs outputs) {
    super(context, spec.first(), store, outputs);
    this.second = spec.second();
    this.function = spec.function();
  }

  @Override
  public void processElement(Object record) {
    try {
      store.enter(keyOf(record));
      function.process1(record, this, out);
      store.leave();
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  public void processSecond(Object record) {
    try {
      store.enter(keyOf(second, record));
      function.process2(record, this, out);
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
