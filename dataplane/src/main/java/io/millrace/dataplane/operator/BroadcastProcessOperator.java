package io.millrace.dataplane.operator;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.BroadcastProcessFunction;
import io.millrace.api.state.BroadcastState;
import io.millrace.api.state.MapStateDescriptor;

/** Runs a {@link BroadcastProcessFunction}. The second input is the broadcast stream. */
public final class BroadcastProcessOperator extends UnkeyedContextOperator
    implements TwoInputs, BroadcastProcessFunction.Context {
  private final BroadcastProcessFunction<Object, Object, Object> function;
  private final BroadcastStates states;

  BroadcastProcessOperator(
      OperatorContext context, OperatorSpec.BroadcastProcessing spec, OperatorOutputs outputs) {
    super(context, outputs);
    this.function = spec.function();
    this.states = new BroadcastStates(context, spec.states());
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
  public void processSecond(Object record) {
    try {
      function.processBroadcast(record, this, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  public <K, V> BroadcastState<K, V> broadcastState(MapStateDescriptor<K, V> descriptor) {
    return states.of(descriptor);
  }
}
