package io.millrace.dataplane.snapshot;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The elements of one edge at one subtask that the barriers of a checkpoint overtook. The task's
 * step adds them; {@link #write} serialises them on an I/O thread.
 */
public final class InFlightSnapshot {
  /** Bytes of an edge in the message with the snapshot, which is limited to 1 MiB. */
  private static final int MAX_INLINE_BYTES = 64 << 10;

  private final int edge;
  private final boolean input;

  /** By the subtask at the other end of the channel. */
  private final Map<Integer, List<InFlightElement>> channels = new TreeMap<>();

  /**
   * @param edge the id of the edge
   * @param input whether the subtask is the consumer
   */
  public InFlightSnapshot(int edge, boolean input) {
    this.edge = edge;
    this.input = input;
  }

  public int edge() {
    return edge;
  }

  /** Adds an element at the end of a channel. */
  public void add(int peer, InFlightElement element) {
    channels.computeIfAbsent(peer, any -> new ArrayList<>()).add(element);
  }

  public boolean isEmpty() {
    return channels.isEmpty();
  }

  /**
   * Writes the elements as one piece.
   *
   * @param exchange decodes batches in the encoding of the exchange
   * @param state encodes records for storage; used for this edge only
   * @param checkCancelled throws if the snapshot is not needed any more
   */
  public TaskSnapshot.InFlight write(
      CodecPool exchange,
      CodecPool state,
      HostCheckpoints.HostCheckpoint to,
      Runnable checkCancelled)
      throws IOException {
    RecordBatchCodec codec = state.borrowCodec();
    int inlineThreshold = Math.min(to.request().inlineThreshold(), MAX_INLINE_BYTES);
    try (PieceOutput out = new PieceOutput(to.files(), inlineThreshold)) {
      PieceWriter piece = new PieceWriter(out, PieceFormat.IN_FLIGHT);
      List<InFlightPiece.Channel> index = new ArrayList<>();
      for (Map.Entry<Integer, List<InFlightElement>> channel : channels.entrySet()) {
        long offset = piece.offset();
        for (InFlightElement element : channel.getValue()) {
          checkCancelled.run();
          piece.batch(encode(element, exchange, codec));
        }
        index.add(new InFlightPiece.Channel(channel.getKey(), offset, channel.getValue().size()));
      }
      ByteArrayOutput footer = new ByteArrayOutput();
      new InFlightPiece.Footer(index, SchemaSection.of(Set.of(), codec)).write(footer);
      piece.footer(footer);
      return new TaskSnapshot.InFlight(edge, input, out.finish());
    } finally {
      state.returnCodec(codec);
    }
  }

  private static ByteArrayOutput encode(
      InFlightElement element, CodecPool exchange, RecordBatchCodec codec) {
    ByteArrayOutput batch = new ByteArrayOutput();
    if (element instanceof InFlightElement.Watermark watermark) {
      batch.putByte(InFlightPiece.WATERMARK);
      batch.putLong(watermark.time());
    } else if (element instanceof InFlightElement.Records records) {
      batch.putByte(InFlightPiece.RECORDS);
      codec.encode(records.records(), records.timestamps(), records.from(), records.to(), batch);
    } else if (element instanceof InFlightElement.Encoded encoded) {
      RecordBatchCodec.Decoded decoded = decode(encoded, exchange);
      batch.putByte(InFlightPiece.RECORDS);
      codec.encode(decoded.records(), decoded.timestamps(), 0, decoded.records().length, batch);
    } else {
      throw new IllegalStateException("Unknown element " + element);
    }
    return batch;
  }

  private static RecordBatchCodec.Decoded decode(
      InFlightElement.Encoded encoded, CodecPool exchange) {
    ByteArrayOutput whole = exchange.borrowOutput();
    RecordBatchCodec codec = exchange.borrowCodec();
    try {
      for (InFlightElement.EncodedPart part : encoded.parts()) {
        if (!part.appendTo(whole)) {
          throw new MillraceException(
              ErrorKind.EXTERNAL, "the task ended before its input was written");
        }
      }
      return codec.decode(whole.array(), 0, whole.size());
    } finally {
      exchange.returnCodec(codec);
      exchange.returnOutput(whole);
    }
  }
}
