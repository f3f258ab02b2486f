package io.millrace.dataplane.operator;

import io.millrace.api.sink.SinkWriter;

/** Passes records to the {@link SinkWriter} of a sink. */
public final class SinkOperator extends StreamOperator {
  private final OperatorContext context;
  private final SinkWriter<Object> writer;
  private boolean finished;

  SinkOperator(OperatorContext context, SinkWriter<Object> writer) {
    this.context = context;
    this.writer = writer;
  }

  @Override
  public void processElement(Object record) {
    try {
      writer.write(record);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  public EndStatus end() {
    if (!finished) {
      finished = true;
      try {
        writer.finish();
      } catch (Throwable thrown) {
        throw context.failed(thrown);
      }
    }
    return EndStatus.DONE;
  }

  @Override
  public void close() throws Exception {
    writer.close();
  }
}
