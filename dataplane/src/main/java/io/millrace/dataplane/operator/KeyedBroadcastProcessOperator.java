package io.millrace.dataplane.operator;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedBroadcastProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.state.BroadcastState;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReadOnlyBroadcastState;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.dataplane.state.KeyedStateBackend;

/** Runs a {@link KeyedBroadcastProcessFunction}. The second input is the broadcast stream. */
public final class KeyedBroadcastProcessOperator extends TimerServiceOperator
    implements TwoInputs, KeyedBroadcastProcessFunction.OnTimerContext<Object> {
  private final KeyedBroadcastProcessFunction<Object, Object, Object, Object> function;
  private final BroadcastStates states;
  private final BroadcastContext broadcastContext = new BroadcastContext();

  KeyedBroadcastProcessOperator(
      OperatorContext context,
      OperatorSpec.KeyedBroadcastProcessing spec,
      KeyedStateBackend store,
      OperatorOutputs outputs) {
    super(context, spec.key(), store, outputs);
    this.function = spec.function();
    this.states = new BroadcastStates(context, spec.states());
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
  public void processSecond(Object record) {
    try {
      function.processBroadcast(record, broadcastContext, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  void onTimer(long time) throws Exception {
    function.onTimer(time, this, out);
  }

  @Override
  public <X, V> ReadOnlyBroadcastState<X, V> broadcastState(MapStateDescriptor<X, V> descriptor) {
    return states.of(descriptor);
  }

  /** The context of a record of the broadcast stream, which has no key. */
  private final class BroadcastContext implements KeyedBroadcastProcessFunction.Context<Object> {
    @Override
    public long timestamp() {
      return KeyedBroadcastProcessOperator.this.timestamp();
    }

    @Override
    public long currentWatermark() {
      return KeyedBroadcastProcessOperator.this.currentWatermark();
    }

    @Override
    public long currentProcessingTime() {
      return KeyedBroadcastProcessOperator.this.currentProcessingTime();
    }

    @Override
    public <X> void output(OutputTag<X> tag, X record) {
      KeyedBroadcastProcessOperator.this.output(tag, record);
    }

    @Override
    public <X, V> BroadcastState<X, V> broadcastState(MapStateDescriptor<X, V> descriptor) {
      return states.of(descriptor);
    }

    @Override
    public <T> void applyToKeyedState(
        ValueStateDescriptor<T> descriptor,
        KeyedBroadcastProcessFunction.KeyedStateFunction<Object, ValueState<T>> visitor)
        throws Exception {
      visit(descriptor.name(), store.value(descriptor), visitor);
    }

    @Override
    public <T> void applyToKeyedState(
        ListStateDescriptor<T> descriptor,
        KeyedBroadcastProcessFunction.KeyedStateFunction<Object, ListState<T>> visitor)
        throws Exception {
      visit(descriptor.name(), store.list(descriptor), visitor);
    }

    @Override
    public <X, V> void applyToKeyedState(
        MapStateDescriptor<X, V> descriptor,
        KeyedBroadcastProcessFunction.KeyedStateFunction<Object, MapState<X, V>> visitor)
        throws Exception {
      visit(descriptor.name(), store.map(descriptor), visitor);
    }

    private <S> void visit(
        String name, S state, KeyedBroadcastProcessFunction.KeyedStateFunction<Object, S> visitor)
        throws Exception {
      // A list: the visitor may change what the keys are read from.
      for (Object key : store.keysOf(name)) {
        store.enter(key);
        try {
          visitor.process(key, state);
        } finally {
          store.leave();
        }
      }
    }
  }
}
