package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.task.checkpoint.TaskRestore.InFlightPart;
import io.millrace.task.checkpoint.TaskRestore.InFlightRestore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the elements of former channels of one edge with which a consumer starts. It blocks. */
public final class RestoredInFlight {
  private final StateFileSource source;
  private final TaskRestore task;
  private final CodecPool codecs;

  public RestoredInFlight(StateFileSource source, TaskRestore task, CodecPool codecs) {
    this.source = source;
    this.task = task;
    this.codecs = codecs;
  }

  /** A former channel between two subtasks. */
  public record FormerChannel(int producer, int consumer) implements Comparable<FormerChannel> {
    @Override
    public int compareTo(FormerChannel other) {
      return producer == other.producer
          ? Integer.compare(consumer, other.consumer)
          : Integer.compare(producer, other.producer);
    }
  }

  /** The elements of each former channel of the share, in order. */
  public Map<FormerChannel, List<InFlightElement>> read(InFlightRestore share) {
    Map<FormerChannel, List<InFlightElement>> channels = new TreeMap<>();
    RecordBatchCodec codec = codecs.borrowCodec();
    try {
      // What a consumer had received precedes what waited at its producers.
      for (boolean input : new boolean[] {true, false}) {
        for (InFlightPart part : share.parts()) {
          if (part.input() == input) {
            read(share, part, codec, channels);
          }
        }
      }
    } finally {
      codecs.returnCodec(codec);
    }
    return channels;
  }

  private void read(
      InFlightRestore share,
      InFlightPart part,
      RecordBatchCodec codec,
      Map<FormerChannel, List<InFlightElement>> to) {
    PieceReader reader = new PieceReader(source, task, part.handle());
    InFlightPiece.Footer footer = reader.footer(PieceFormat.IN_FLIGHT, InFlightPiece.Footer::read);
    footer.schemas().check(codec.classes(), reader.name());
    for (InFlightPiece.Channel channel : footer.channels()) {
      FormerChannel former =
          part.input()
              ? new FormerChannel(channel.peer(), part.subtask())
              : new FormerChannel(part.subtask(), channel.peer());
      if (share.contains(former.consumer())) {
        List<InFlightElement> elements = to.computeIfAbsent(former, any -> new ArrayList<>());
        reader.batches(
            channel.offset(),
            channel.batches(),
            (number, batch) -> elements.add(element(reader, batch, codec)));
      }
    }
  }

  private static InFlightElement element(
      PieceReader reader, ByteArrayInput batch, RecordBatchCodec codec) {
    int kind = batch.readByte();
    if (kind == InFlightPiece.WATERMARK) {
      return new InFlightElement.Watermark(batch.readLong());
    } else if (kind == InFlightPiece.RECORDS) {
      int length = batch.remaining();
      int from = batch.take(length);
      RecordBatchCodec.Decoded decoded = codec.decode(batch.array(), from, from + length);
      return new InFlightElement.Records(
          decoded.records(), decoded.timestamps(), 0, decoded.records().length);
    }
    throw reader.damaged("a batch has the unknown kind " + kind);
  }
}
