package io.millrace.dataplane.operator;

/** Passes each record to all consumers of one operator. */
public final class FanOutOperator extends StreamOperator {
  private final StreamOperator[] readers;

  public FanOutOperator(StreamOperator[] readers) {
    this.readers = readers;
  }

  @Override
  public void processElement(Object record) {
    for (StreamOperator reader : readers) {
      reader.processElement(record);
    }
  }
}
