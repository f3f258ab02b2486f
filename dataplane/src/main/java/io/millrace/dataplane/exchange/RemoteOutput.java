package io.millrace.dataplane.exchange;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.services.DeploymentContext;
import io.millrace.dataplane.wire.BarrierChannel;
import io.millrace.dataplane.wire.DataFrameHeader;
import io.millrace.dataplane.wire.OutboundStream;
import io.millrace.task.checkpoint.CheckpointRequest;

/** Sends batches of a deployment's tasks on this host to its tasks on one other host. */
final class RemoteOutput implements OutboundStream.Listener {
  /** The maximum size of a record in bytes: both hosts hold a record in one array. */
  static final int MAX_RECORD = 64 << 20;

  /** A larger batch is serialised in parts, which bounds the memory for large records. */
  private static final int PART_BYTES = 1 << 20;

  /** The share of a frame that a part aims to fill, because sizes of records differ. */
  private static final float FILLED = 0.95f;

  private final DeploymentExchange exchange;
  private final int host;
  private volatile OutboundStream stream;

  RemoteOutput(DeploymentExchange exchange, int host) {
    this.exchange = exchange;
    this.host = host;
  }

  void start(String address) {
    DeploymentContext deployment = exchange.deployment();
    stream =
        deployment
            .services()
            .transportTo(address)
            .open(
                address,
                deployment.graph().id(),
                deployment.descriptor().number(),
                exchange.buffers(),
                this);
  }

  /** The maximum number of frames in flight on a channel; 0 until the stream is open. */
  int window() {
    return stream.window();
  }

  /**
   * Starts to send a batch. It is divided into parts that probably fit into one frame each, so that
   * the consumer needs no reassembly.
   *
   * @param bytesPerRecord the size of the last records
   */
  void begin(RecordBatch batch, float bytesPerRecord) {
    int parts = (int) (batch.size * bytesPerRecord / (FILLED * stream.room())) + 1;
    batch.outbound =
        new OutboundBatch(
            exchange.deployment().codecs().borrowOutput(), (batch.size + parts - 1) / parts);
  }

  /** Sends the next frame of a batch, for which the caller has a credit; returns its bytes. */
  int send(TaskEnvironment from, ExchangeEdge edge, int consumer, RecordBatch batch) {
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
      exchange.deployment().codecs().returnOutput(outbound.bytes);
    }
    return length;
  }

  /** Sends a barrier, which needs no credit; false if the stream is not open yet. */
  boolean sendBarrier(int producer, ExchangeEdge edge, int consumer, CheckpointRequest request) {
    ByteArrayOutput bytes = new ByteArrayOutput();
    BarrierEncoding.encode(request, bytes);
    return stream.sendBarrier(
        new BarrierChannel(edge.edge().id(), producer, consumer), bytes.array(), bytes.size());
  }

  /** Serialises the next part of a batch. */
  private void serialize(RecordBatch batch, OutboundBatch outbound) {
    RecordBatchCodec codec = exchange.deployment().codecs().borrowCodec();
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
                + " bytes is too large to be sent to another process (maximum "
                + MAX_RECORD
                + ")");
      }
      if (end > outbound.serialized) {
        outbound.bytesPerRecord = (float) outbound.bytes.size() / (end - outbound.serialized);
      }
      outbound.partStart = outbound.serialized;
      outbound.serialized = end;
      outbound.sent = 0;
    } finally {
      exchange.deployment().codecs().returnCodec(codec);
    }
  }

  private static int serialize(RecordBatchCodec codec, RecordBatch batch, OutboundBatch outbound) {
    int end = Math.min(batch.size, outbound.serialized + outbound.recordsPerPart);
    outbound.bytes.clear();
    codec.encode(batch.records, batch.timestamps(), outbound.serialized, end, outbound.bytes);
    return end;
  }

  static int kind(ControlElement control) {
    if (control == null) {
      return DataFrameHeader.NO_CONTROL;
    } else if (control instanceof ControlElement.Watermark) {
      return DataFrameHeader.WATERMARK;
    } else if (control instanceof ControlElement.WatermarkStatus status) {
      return status == ControlElement.WatermarkStatus.IDLE
          ? DataFrameHeader.IDLE
          : DataFrameHeader.ACTIVE;
    } else if (control == ControlElement.EndOfInput.INSTANCE) {
      return DataFrameHeader.END_OF_INPUT;
    }
    throw new IllegalStateException("Unknown control element " + control);
  }

  static long value(ControlElement control) {
    if (control instanceof ControlElement.Watermark mark) {
      return mark.time();
    }
    return 0;
  }

  void close() {
    stream.close();
  }

  @Override
  public void opened() {
    exchange.tasks().forEach(ExchangeTask::roomMade);
  }

  @Override
  public void credit(int edgeId, int producer, int consumer, int count) {
    ExchangeEdge edge = edgeOf(edgeId, producer, consumer, "gives credit for");
    edge.sources()[producer].credit(edge.output(), consumer, count);
  }

  @Override
  public void splitRequest(int edgeId, int producer, int consumer, long total) {
    edgeOf(edgeId, producer, consumer, "asks for splits on")
        .sources()[producer]
        .requestSplits(consumer, total);
  }

  /** The edge of a channel to the other host. */
  private ExchangeEdge edgeOf(int edgeId, int producer, int consumer, String what) {
    ExchangeEdge edge = exchange.edge(edgeId).orElse(null);
    if (edge == null
        || producer < 0
        || producer >= edge.sources().length
        || edge.sources()[producer] == null
        || consumer < edge.firstConsumer(producer)
        || consumer >= edge.endConsumer(producer)
        || edge.targetHosts()[consumer] != host) {
      throw new IllegalStateException(
          "it %s a channel that does not exist: edge %d from %d to %d"
              .formatted(what, edgeId, producer, consumer));
    }
    return edge;
  }

  @Override
  public void failed(String why) {
    Failure failure = Failure.of(ErrorKind.EXTERNAL, why);
    exchange.tasks().forEach(task -> task.outputHostLost(host, failure));
  }
}
