package io.millrace.dataplane;

/** Passes each record to all consumers of one operator. */
final class FanOutOperator extends StreamOperator {
  private final StreamOperator[] readers;

  FanOutOperator(StreamOperator[] readers) {
    this.readers = readers;
  }

  @Override
  void processElement(Object record) {
    for (StreamOperator reader : readers) {
      reader.processElement(record);
    }
  }
}
