package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayOutput;
import java.util.List;

/**
 * An element of a channel that a barrier overtook. It refers to what the exchange has anyway; I/O
 * threads serialise it.
 */
public sealed interface InFlightElement {
  /** Records of a batch, which nobody changes any more: {@code from} inclusive. */
  record Records(Object[] records, long[] timestamps, int from, int to)
      implements InFlightElement {}

  /** A batch in the encoding of the exchange, which came in one or several frames. */
  record Encoded(List<EncodedPart> parts) implements InFlightElement {
    public Encoded {
      parts = List.copyOf(parts);
    }
  }

  /** The channel has reached this event time. */
  record Watermark(long time) implements InFlightElement {}

  /** A part of an encoded batch. */
  interface EncodedPart {
    /** Appends its bytes; false if they were dropped because the task has ended. */
    boolean appendTo(ByteArrayOutput out);
  }
}
