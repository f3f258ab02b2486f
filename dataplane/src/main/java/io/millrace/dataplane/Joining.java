package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteSink;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Bytes that come in several buffers, per channel until the last of them is there. Lives in the
 * task's step.
 */
final class Joining {
  private final Map<Integer, ByteSink> begun = new HashMap<>();

  /** Takes the next bytes of a channel in; returns all from the first to the last with the last. */
  Optional<byte[]> join(int channel, byte[] bytes, boolean goesOn) {
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
