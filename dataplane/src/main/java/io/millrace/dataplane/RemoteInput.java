package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.wire.DataFrame;
import io.millrace.dataplane.wire.DataFrameHeader;
import io.millrace.dataplane.wire.DataTransport;
import io.millrace.dataplane.wire.LocalBufferPool;

/** Takes what another host sends to a deployment's tasks. Called by the wire's threads. */
final class RemoteInput implements DataTransport.Receiver {
  private final RunningDeployment deployment;

  RemoteInput(RunningDeployment deployment) {
    this.deployment = deployment;
  }

  @Override
  public LocalBufferPool buffers() {
    return deployment.buffers();
  }

  @Override
  public boolean data(DataFrame frame) {
    DataFrameHeader header = frame.header();
    ExchangeEdge edge = deployment.edge(header.edge()).orElse(null);
    if (edge == null
        || header.consumer() < 0
        || header.consumer() >= edge.targets().length
        || header.producer() < edge.firstProducer(header.consumer())
        || header.producer() >= edge.endProducer(header.consumer())
        || edge.targets()[header.consumer()] == null) {
      return false;
    }
    RecordBatch batch = new RecordBatch(0);
    batch.edge = edge;
    batch.producer = header.producer();
    batch.control =
        switch (header.control()) {
          case DataFrameHeader.NO_CONTROL -> null;
          case DataFrameHeader.WATERMARK -> new ControlElement.Watermark(header.value());
          case DataFrameHeader.BARRIER -> new ControlElement.CheckpointBarrier(header.value());
          case DataFrameHeader.IDLE -> ControlElement.WatermarkStatus.IDLE;
          case DataFrameHeader.ACTIVE -> ControlElement.WatermarkStatus.ACTIVE;
          default -> ControlElement.EndOfInput.INSTANCE;
        };
    batch.frame = new FrameBatch(frame);
    edge.targets()[header.consumer()].arrive(batch);
    return true;
  }

  @Override
  public void lost(String from, String why) {
    int host = deployment.descriptor().placement().hosts().indexOf(from);
    Failure failure = Failure.of(ErrorKind.EXTERNAL, why);
    for (Task task : deployment.tasks()) {
      task.hostLost(host, failure);
    }
  }

  /** Lives where its batch lives. */
  private static final class FrameBatch implements InboundFrame {
    private final DataFrame frame;
    private boolean released;

    FrameBatch(DataFrame frame) {
      this.frame = frame;
    }

    @Override
    public boolean hasMore() {
      return frame.header().more();
    }

    @Override
    public int length() {
      return frame.size();
    }

    @Override
    public void take(ByteArrayOutput to) {
      int length = frame.size();
      int at = to.claim(length);
      frame.copyTo(to.array(), at);
      release();
    }

    @Override
    public void credit() {
      frame.credit();
    }

    @Override
    public void release() {
      if (!released) {
        released = true;
        frame.release();
      }
    }
  }
}
