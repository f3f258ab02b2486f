package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteSink;
import io.millrace.dataplane.records.RecordCodec;
import java.util.HashMap;
import java.util.Map;

/**
 * Opens what comes from other hosts. Bytes that come in several buffers wait here, per channel,
 * until the last of them is there. Lives in the task's step.
 */
final class Joining {
  private final Map<Integer, ByteSink> begun = new HashMap<>();

  private final Task task;

  Joining(Task task) {
    this.task = task;
  }

  /** Turns what arrived into records; false if the rest of its bytes is still to come. */
  boolean open(Batch batch) {
    task.meter().add(Meter.BYTES_IN, batch.arrived.length());
    RecordCodec codec = task.deployed().borrowCodec();
    ByteSink whole = task.deployed().borrowSink();
    try {
      if (!join(batch, whole)) {
        batch.arrived.credit();
        return false;
      }
      RecordCodec.Decoded decoded = codec.decode(whole.array(), 0, whole.size());
      batch.records = decoded.records();
      batch.size = batch.records.length;
      batch.timestamps = decoded.timestamps().length == 0 ? null : decoded.timestamps();
      return true;
    } catch (Throwable thrown) {
      throw task.failed("exchange from " + batch.edge.source().name(), thrown);
    } finally {
      task.deployed().returnCodec(codec);
      task.deployed().returnSink(whole);
    }
  }

  /** Takes the next bytes of a channel in; puts all from the first on there with the last. */
  private boolean join(Batch batch, ByteSink whole) {
    boolean goesOn = batch.arrived.goesOn();
    ByteSink sink = begun.isEmpty() ? null : begun.get(batch.channel);
    if (sink == null) {
      if (!goesOn) {
        batch.arrived.take(whole);
        return true;
      }
      sink = new ByteSink();
      begun.put(batch.channel, sink);
    }
    if (sink.size() > Link.MAX_RECORD - batch.arrived.length()) {
      throw new MillraceException(
          ErrorKind.BUG, "More than " + Link.MAX_RECORD + " bytes of records came in one piece");
    }
    batch.arrived.take(sink);
    if (goesOn) {
      return false;
    }
    begun.remove(batch.channel);
    whole.putBytes(sink.array(), 0, sink.size());
    return true;
  }

  void clear() {
    begun.clear();
  }
}
