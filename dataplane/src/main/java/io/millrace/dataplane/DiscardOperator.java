package io.millrace.dataplane;

/** Drops its records: the end of a chain whose last operator has no consumer. */
final class DiscardOperator extends StreamOperator {
  @Override
  void processElement(Object record) {}
}
