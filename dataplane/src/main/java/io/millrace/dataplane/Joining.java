package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteSink;
import io.millrace.dataplane.records.RecordCodec;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

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
    byte[] arrived = batch.arrived.take();
    task.meter().add(Meter.BYTES_IN, arrived.length);
    RecordCodec codec = task.deployed().borrowCodec();
    try {
      Optional<byte[]> bytes = join(batch.channel, arrived, batch.arrived.goesOn());
      if (bytes.isEmpty()) {
        batch.arrived.credit();
        return false;
      }
      RecordCodec.Decoded decoded = codec.decode(bytes.get(), 0, bytes.get().length);
      batch.records = decoded.records();
      batch.size = batch.records.length;
      batch.timestamps = decoded.timestamps().length == 0 ? null : decoded.timestamps();
      return true;
    } catch (RuntimeException e) {
      throw task.failed("exchange from " + batch.edge.source().name(), e);
    } finally {
      task.deployed().returnCodec(codec);
    }
  }

  /** Takes the next bytes of a channel in; returns all from the first to the last with the last. */
  private Optional<byte[]> join(int channel, byte[] bytes, boolean goesOn) {
    if (begun.isEmpty() && !goesOn) {
      return Optional.of(bytes);
    }
    ByteSink sink = begun.get(channel);
    if (sink == null) {
      if (!goesOn) {
        return Optional.of(bytes);
      }
      sink = new ByteSink();
      begun.put(channel, sink);
    }
    if (sink.size() > Link.MAX_RECORD - bytes.length) {
      throw new MillraceException(
          ErrorKind.BUG, "More than " + Link.MAX_RECORD + " bytes of records came in one piece");
    }
    sink.putBytes(bytes, 0, bytes.length);
    if (goesOn) {
      return Optional.empty();
    }
    begun.remove(channel);
    return Optional.of(sink.toArray());
  }

  void clear() {
    begun.clear();
  }
}
