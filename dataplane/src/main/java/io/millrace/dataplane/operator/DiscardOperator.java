package io.millrace.dataplane.operator;

/** Drops its records: the end of a chain whose last operator has no consumer. */
public final class DiscardOperator extends StreamOperator {
  @Override
  public void processElement(Object record) {}
}
