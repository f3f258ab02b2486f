package io.millrace.dataplane.operator;

import io.millrace.api.custom.CustomOperator;
import io.millrace.api.custom.TwoInputOperator;
import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.dataplane.state.KeyedStateBackend;

/** Runs a {@link CustomOperator} of a keyed stream, or of two, with keyed state and timers. */
class KeyedCustomOperator extends TimerServiceOperator implements CustomOperator.Context {
  private final CustomOperator<Object> operator;
  private final CustomOutput output;
  private final UnkeyedCustomOperator.Input first;

  private KeyedCustomOperator(
      OperatorContext context,
      OperatorSpec.KeyedCustom spec,
      KeyedStateBackend store,
      OperatorOutputs outputs) {
    super(context, spec.keys().get(0), store, outputs);
    this.operator = spec.operator();
    this.output = new CustomOutput(context.task(), outputs);
    this.first = UnkeyedCustomOperator.input(operator, this, output, 0);
  }

  static StreamOperator open(
      OperatorContext context,
      OperatorSpec.KeyedCustom spec,
      KeyedStateBackend store,
      OperatorOutputs outputs) {
    return spec.operator() instanceof TwoInputOperator
        ? new OfTwo(context, spec, store, outputs)
        : new KeyedCustomOperator(context, spec, store, outputs);
  }

  private static final class OfTwo extends KeyedCustomOperator implements TwoInputs {
    private final KeySelector<Object, Object> key;
    private final UnkeyedCustomOperator.Input second;

    OfTwo(
        OperatorContext context,
        OperatorSpec.KeyedCustom spec,
        KeyedStateBackend store,
        OperatorOutputs outputs) {
      super(context, spec, store, outputs);
      this.key = spec.keys().get(1);
      this.second = UnkeyedCustomOperator.input(spec.operator(), this, super.output, 1);
    }

    @Override
    public void processSecond(Object record) {
      try {
        store.enter(keyOf(key, record));
        second.process(record);
        store.leave();
      } catch (Throwable thrown) {
        throw context.failed(thrown, record);
      }
    }
  }

  @Override
  public final void processElement(Object record) {
    try {
      store.enter(keyOf(record));
      first.process(record);
      store.leave();
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  final void onTimer(long time) throws Exception {
    operator.onTimer(time, this, output);
  }

  @Override
  public final boolean handlesWatermarks() {
    return true;
  }

  @Override
  public final void watermark(long now) {
    try {
      operator.watermark(now, output);
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
  }

  @Override
  public final void idle(boolean idle) {
    output.idle(idle);
  }

  @Override
  final void timersEnded() {
    try {
      operator.endInput(output);
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
  }
}
