package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.wire.DataFrameHeader;
import io.millrace.dataplane.wire.OutboundStream;

/** The way from one deployment's tasks on this host to those on another one. */
final class RemoteOutput implements OutboundStream.Listener {
  /** A record above this is refused: both sides need it in one piece. */
  static final int MAX_RECORD = 64 << 20;

  /**
   * A batch above this is serialised in parts, so that the bytes of large records do not pile up.
   */
  private static final int PART_BYTES = 1 << 20;

  /** How much of a frame a part is meant to fill, because records differ a little in length. */
  private static final float FILLED = 0.95f;

  private final RunningDeployment deployment;
  private final int host;
  private volatile OutboundStream stream;

  RemoteOutput(RunningDeployment deployment, int host) {
    this.deployment = deployment;
    this.host = host;
  }

  void start(DataPlane plane, String address) {
    stream =
        plane
            .wire(address)
            .open(
                address,
                deployment.graph().id(),
                deployment.descriptor().number(),
                deployment.buffers(),
                this);
  }

  /** How many frames of a channel may be in flight at most; none until the link is open. */
  int window() {
    return stream.window();
  }

  /**
   * Begins to send a batch. Its parts are made of such a size that each fits into one frame, as far
   * as that can be told from what was sent before: the other side need not put it together then.
   *
   * @param bytesPerRecord how long the last records were
   */
  void begin(RecordBatch batch, float bytesPerRecord) {
    int parts = (int) (batch.size * bytesPerRecord / (FILLED * stream.room())) + 1;
    batch.outbound = new OutboundBatch(deployment.borrowSink(), (batch.size + parts - 1) / parts);
  }

  /** Sends the next frame of a batch, for which there is a credit; returns how many bytes. */
  int send(Task from, ExchangeEdge edge, int consumer, RecordBatch batch) {
    OutboundBatch outbound = batch.outbound;
    if (outbound.isSent()) {
      try {
        serialize(batch, outbound);
      } catch (Throwable thrown) {
        throw from.failed("exchange to " + edge.target().name(), thrown);
      }
    }
    int length = Math.min(outbound.bytes.size() - outbound.sent, stream.room());
    int start = outbound.sent;
    outbound.sent += length;
    boolean last = outbound.isSent() && outbound.serialized == batch.size;
    DataFrameHeader header =
        new DataFrameHeader(
            edge.edge().id(),
            from.subtask(),
            consumer,
            !outbound.isSent(),
            last ? kind(batch.control) : DataFrameHeader.NO_CONTROL,
            last ? value(batch.control) : 0);
    stream.send(header, outbound.bytes.array(), start, length);
    if (last) {
      batch.outbound = null;
      deployment.returnSink(outbound.bytes);
    }
    return length;
  }

  /** Serialises as many of the batch's records as make a part. */
  private void serialize(RecordBatch batch, OutboundBatch outbound) {
    RecordBatchCodec codec = deployment.borrowCodec();
    try {
      int end = serialize(codec, batch, outbound);
      while (outbound.bytes.size() > PART_BYTES && end - outbound.serialized > 1) {
        outbound.recordsPerPart = (end - outbound.serialized + 1) / 2;
        end = serialize(codec, batch, outbound);
      }
      if (outbound.bytes.size() > MAX_RECORD) {
        throw new MillraceException(
            ErrorKind.USER,
            "A record of "
                + outbound.bytes.size()
                + " bytes is too large to travel between processes (at most "
                + MAX_RECORD
                + ")");
      }
      if (end > outbound.serialized) {
        outbound.bytesPerRecord = (float) outbound.bytes.size() / (end - outbound.serialized);
      }
      outbound.serialized = end;
      outbound.sent = 0;
    } finally {
      deployment.returnCodec(codec);
    }
  }

  private static int serialize(RecordBatchCodec codec, RecordBatch batch, OutboundBatch outbound) {
    int end = Math.min(batch.size, outbound.serialized + outbound.recordsPerPart);
    outbound.bytes.clear();
    codec.encode(batch.records, batch.timestamps(), outbound.serialized, end, outbound.bytes);
    return end;
  }

  private static int kind(ControlElement control) {
    if (control == null) {
      return DataFrameHeader.NO_CONTROL;
    } else if (control instanceof ControlElement.Watermark) {
      return DataFrameHeader.WATERMARK;
    } else if (control instanceof ControlElement.CheckpointBarrier) {
      return DataFrameHeader.BARRIER;
    } else if (control instanceof ControlElement.WatermarkStatus status) {
      return status == ControlElement.WatermarkStatus.IDLE
          ? DataFrameHeader.IDLE
          : DataFrameHeader.ACTIVE;
    }
    return DataFrameHeader.END_OF_INPUT;
  }

  private static long value(ControlElement control) {
    if (control instanceof ControlElement.Watermark mark) {
      return mark.time();
    } else if (control instanceof ControlElement.CheckpointBarrier barrier) {
      return barrier.checkpoint();
    }
    return 0;
  }

  void close() {
    stream.close();
  }

  @Override
  public void opened() {
    deployment.tasks().forEach(Task::roomMade);
  }

  @Override
  public void credit(int edgeId, int producer, int consumer, int count) {
    ExchangeEdge edge = deployment.edge(edgeId).orElse(null);
    if (edge == null
        || producer < 0
        || producer >= edge.sources().length
        || edge.sources()[producer] == null
        || consumer < edge.firstConsumer(producer)
        || consumer >= edge.endConsumer(producer)
        || edge.targetHosts()[consumer] != host) {
      throw new IllegalStateException(
          "it gives credit for a channel that is not there: edge %d from %d to %d"
              .formatted(edgeId, producer, consumer));
    }
    edge.sources()[producer].output(edge.output()).credit(consumer, count);
  }

  @Override
  public void failed(String why) {
    Failure failure = Failure.of(ErrorKind.EXTERNAL, why);
    for (Task task : deployment.tasks()) {
      if (task.sendsTo(host)) {
        task.fail(failure);
      }
    }
  }
}
