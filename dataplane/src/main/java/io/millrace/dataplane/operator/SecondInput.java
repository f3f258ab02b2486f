package io.millrace.dataplane.operator;

/** Passes records to the second input of an operator. */
public final class SecondInput extends StreamOperator {
  private final TwoInputs operator;

  public SecondInput(TwoInputs operator) {
    this.operator = operator;
  }

  @Override
  public void processElement(Object record) {
    operator.processSecond(record);
  }
}
