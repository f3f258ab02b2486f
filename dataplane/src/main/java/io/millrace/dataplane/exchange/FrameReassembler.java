package io.millrace.dataplane.exchange;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.metrics.TaskIoMetrics;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.snapshot.InFlightElement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Deserialises batches from other hosts. Frames of a batch that needs several wait here, by
 * channel, until the last one has come. Belongs to the task's step.
 */
public final class FrameReassembler {
  private final Map<Integer, ByteArrayOutput> partial = new HashMap<>();

  private final TaskEnvironment task;

  FrameReassembler(TaskEnvironment task) {
    this.task = task;
  }

  /** Deserialises a batch; false if more frames of it are to come. */
  boolean open(RecordBatch batch) {
    task.metrics().add(TaskIoMetrics.BYTES_IN, batch.frame.length());
    RecordBatchCodec codec = task.codecs().borrowCodec();
    ByteArrayOutput whole = task.codecs().borrowOutput();
    try {
      if (!join(batch, whole)) {
        batch.frame.credit();
        return false;
      }
      RecordBatchCodec.Decoded decoded = codec.decode(whole.array(), 0, whole.size());
      batch.records = decoded.records();
      batch.size = batch.records.length;
      batch.timestamps = decoded.timestamps().length == 0 ? null : decoded.timestamps();
      return true;
    } catch (Throwable thrown) {
      throw task.failed("exchange from " + batch.edge.source().name(), thrown);
    } finally {
      task.codecs().returnCodec(codec);
      task.codecs().returnOutput(whole);
    }
  }

  /** Adds a frame; with the last one, puts the bytes of all of them into {@code whole}. */
  private boolean join(RecordBatch batch, ByteArrayOutput whole) {
    boolean hasMore = batch.frame.hasMore();
    ByteArrayOutput sink = partial.isEmpty() ? null : partial.get(batch.channel);
    if (sink == null) {
      if (!hasMore) {
        batch.frame.take(whole);
        return true;
      }
      sink = new ByteArrayOutput();
      partial.put(batch.channel, sink);
    }
    if (sink.size() > RemoteOutput.MAX_RECORD - batch.frame.length()) {
      throw new MillraceException(
          ErrorKind.BUG, "A batch has more than " + RemoteOutput.MAX_RECORD + " bytes");
    }
    batch.frame.take(sink);
    if (hasMore) {
      return false;
    }
    partial.remove(batch.channel);
    whole.putBytes(sink.array(), 0, sink.size());
    return true;
  }

  /** The bytes of a channel's incomplete batch so far; empty if it has none. */
  Optional<InFlightElement.EncodedPart> partial(int channel) {
    return Optional.ofNullable(partial.get(channel))
        .map(
            bytes -> {
              // Frames that follow are appended, possibly in another array.
              byte[] array = bytes.array();
              int length = bytes.size();
              return to -> {
                to.putBytes(array, 0, length);
                return true;
              };
            });
  }

  void clear() {
    partial.clear();
  }
}
