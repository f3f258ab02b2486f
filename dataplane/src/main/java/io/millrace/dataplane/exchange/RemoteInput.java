package io.millrace.dataplane.exchange;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.snapshot.InFlightElement;
import io.millrace.dataplane.wire.BarrierChannel;
import io.millrace.dataplane.wire.DataFrame;
import io.millrace.dataplane.wire.DataFrameHeader;
import io.millrace.dataplane.wire.DataTransport;
import io.millrace.dataplane.wire.LocalBufferPool;
import java.util.Arrays;

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
    RecordBatch batch = new RecordBatch(0);
    batch.control = control(header);
    batch.frame = new FrameBatch(frame);
    return receive(header.edge(), header.producer(), header.consumer(), batch);
  }

  @Override
  public boolean barrier(BarrierChannel channel, byte[] request) {
    return receive(
        channel.edge(),
        channel.producer(),
        channel.consumer(),
        RecordBatch.barrier(
            BarrierEncoding.decode(new ByteArrayInput(request, 0, request.length))));
  }

  private boolean receive(int edgeId, int producer, int consumer, RecordBatch batch) {
    ExchangeEdge edge = exchange.edge(edgeId).orElse(null);
    if (edge == null
        || consumer < 0
        || consumer >= edge.targets().length
        || producer < edge.firstProducer(consumer)
        || producer >= edge.endProducer(consumer)
        || edge.targets()[consumer] == null) {
      return false;
    }
    batch.edge = edge;
    batch.producer = producer;
    edge.targets()[consumer].receive(batch);
    return true;
  }

  /** The control element of a frame, null if it has none. */
  static ControlElement control(DataFrameHeader header) {
    return switch (header.control()) {
      case DataFrameHeader.NO_CONTROL -> null;
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

  /**
   * The frame of a batch; its owner is that of the batch. A snapshot may share its bytes: whoever
   * needs them first, the task or the thread that writes the snapshot, takes them out of the
   * network buffer for both.
   */
  private static final class FrameBatch implements InboundFrame, InFlightElement.EncodedPart {
    private final DataFrame frame;
    private final int length;
    private boolean released;
    private boolean shared;

    /** The bytes, if they are shared and were taken; else null. */
    private byte[] content;

    FrameBatch(DataFrame frame) {
      this.frame = frame;
      this.length = frame.size();
    }

    @Override
    public boolean hasMore() {
      return frame.header().more();
    }

    @Override
    public int length() {
      return length;
    }

    @Override
    public synchronized InFlightElement.EncodedPart share() {
      shared = true;
      return this;
    }

    @Override
    public void take(ByteArrayOutput to) {
      if (!appendTo(to)) {
        throw new IllegalStateException("The frame was released before it was read");
      }
    }

    @Override
    public synchronized boolean appendTo(ByteArrayOutput to) {
      if (content != null) {
        to.putBytes(content, 0, length);
        return true;
      }
      if (released) {
        return false;
      }
      int at = to.claim(length);
      frame.copyTo(to.array(), at);
      if (shared) {
        content = Arrays.copyOfRange(to.array(), at, at + length);
      }
      release();
      return true;
    }

    @Override
    public void credit() {
      frame.credit();
    }

    @Override
    public void requestSplits(long total) {
      frame.requestSplits(total);
    }

    @Override
    public synchronized void release() {
      if (!released) {
        released = true;
        frame.release();
      }
    }
  }
}
