package io.millrace.dataplane.exchange;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.wire.DataFrame;
import io.millrace.dataplane.wire.DataFrameHeader;
import io.millrace.dataplane.wire.DataTransport;
import io.millrace.dataplane.wire.LocalBufferPool;

/** Receives the frames for a deployment's tasks. Transport threads call it. */
final class RemoteInput implements DataTransport.Receiver {
  private final DeploymentExchange exchange;

  RemoteInput(DeploymentExchange exchange) {
    this.exchange = exchange;
  }

  @Override
  public LocalBufferPool buffers() {
    return exchange.buffers();
  }

  @Override
  public boolean data(DataFrame frame) {
    DataFrameHeader header = frame.header();
    ExchangeEdge edge = exchange.edge(header.edge()).orElse(null);
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
    batch.control = control(header);
    batch.frame = new FrameBatch(frame);
    edge.targets()[header.consumer()].receive(batch);
    return true;
  }

  /** The control element of a frame, null if it has none or if the payload contains it. */
  static ControlElement control(DataFrameHeader header) {
    return switch (header.control()) {
      case DataFrameHeader.NO_CONTROL, DataFrameHeader.BARRIER -> null;
      case DataFrameHeader.WATERMARK -> new ControlElement.Watermark(header.value());
      case DataFrameHeader.IDLE -> ControlElement.WatermarkStatus.IDLE;
      case DataFrameHeader.ACTIVE -> ControlElement.WatermarkStatus.ACTIVE;
      case DataFrameHeader.END_OF_INPUT -> ControlElement.EndOfInput.INSTANCE;
      default -> throw new IllegalStateException("Unknown control element " + header.control());
    };
  }

  @Override
  public void lost(String from, String why) {
    int host = exchange.deployment().descriptor().placement().hosts().indexOf(from);
    Failure failure = Failure.of(ErrorKind.EXTERNAL, why);
    exchange.tasks().forEach(task -> task.inputHostLost(host, failure));
  }

  /** The frame of a batch; its owner is that of the batch. */
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
    public boolean isBarrier() {
      return frame.header().control() == DataFrameHeader.BARRIER;
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
