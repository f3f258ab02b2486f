package io.millrace.dataplane.operator;

import io.millrace.api.sink.SinkWriter;

/** Passes records to the {@link SinkWriter} of a sink. */
public final class SinkOperator extends StreamOperator {
  private final OperatorContext context;
  private final SinkWriter<Object> writer;
  private boolean finished;

  SinkOperator(OperatorContext context, SinkWriter<Object> writer) throws Exception {
    this.context = context;
    this.writer = writer;
    if (writer instanceof OperatorStateHooks hooks) {
      hooks.restoreState(context.operatorState());
    }
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
  public EndStatus endSuspended() {
    return end();
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

  // --- checkpoints

  @Override
  public void prepareSnapshot(long checkpoint) throws Exception {
    if (writer instanceof OperatorStateHooks hooks) {
      hooks.snapshotState(checkpoint, context.operatorState());
    }
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    if (writer instanceof OperatorStateHooks hooks) {
      hooks.checkpointCompleted(checkpoint);
    }
  }

  @Override
  public void checkpointAborted(long checkpoint) throws Exception {
    if (writer instanceof OperatorStateHooks hooks) {
      hooks.checkpointAborted(checkpoint);
    }
  }

  @Override
  public boolean awaitsCheckpoint() {
    return writer instanceof OperatorStateHooks hooks && hooks.awaitsCheckpoint();
  }

  @Override
  public void close() throws Exception {
    writer.close();
  }
}
