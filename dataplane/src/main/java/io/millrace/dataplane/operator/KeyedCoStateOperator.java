package io.millrace.dataplane.operator;

import io.millrace.api.function.KeySelector;
import io.millrace.dataplane.state.KeyedStateBackend;

/** Runs an operator with two inputs whose function has keyed state. */
final class KeyedCoStateOperator extends KeyedStateOperator implements TwoInputs {
  private final KeySelector<Object, Object> second;
  private final StreamOperator operator;

  KeyedCoStateOperator(
      OperatorContext context,
      KeySelector<Object, Object> first,
      KeySelector<Object, Object> second,
      KeyedStateBackend store,
      StreamOperator operator) {
    super(context, first, store, operator);
    this.second = second;
    this.operator = new SecondInput((TwoInputs) operator);
  }

  @Override
  public void processSecond(Object record) {
    enter(second, record);
    operator.processElement(record);
    leave();
  }
}
