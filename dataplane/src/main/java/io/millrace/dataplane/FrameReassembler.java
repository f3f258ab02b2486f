package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import java.util.HashMap;
import java.util.Map;

/**
 * Opens what comes from other hosts. Bytes that come in several buffers wait here, per channel,
 * until the last of them is there. Lives in the task's step.
 */
final class FrameReassembler {
  private final Map<Integer, ByteArrayOutput> partial = new HashMap<>();

  private final Task task;

  FrameReassembler(Task task) {
    this.task = task;
  }

  /** Turns what arrived into records; false if the rest of its bytes is still to come. */
  boolean open(RecordBatch batch) {
    task.metrics().add(TaskIoMetrics.BYTES_IN, batch.frame.length());
    RecordBatchCodec codec = task.deployment().borrowCodec();
    ByteArrayOutput whole = task.deployment().borrowSink();
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
      task.deployment().returnCodec(codec);
      task.deployment().returnSink(whole);
    }
  }

  /** Takes the next bytes of a channel in; puts all from the first on there with the last. */
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
          ErrorKind.BUG,
          "More than " + RemoteOutput.MAX_RECORD + " bytes of records came in one piece");
    }
    batch.frame.take(sink);
    if (hasMore) {
      return false;
    }
    partial.remove(batch.channel);
    whole.putBytes(sink.array(), 0, sink.size());
    return true;
  }

  void clear() {
    partial.clear();
  }
}
