package io.millrace.dataplane.exchange;

import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.snapshot.InFlightElement;

/** A frame from another host with serialised records. */
interface InboundFrame {
  /** Whether the batch continues in the next frame of the channel. */
  boolean hasMore();

  /** Appends the bytes to an output and releases the network buffer. */
  void take(ByteArrayOutput to);

  int length();

  /** The bytes for a snapshot, which may be read after {@link #take}. Any thread may read them. */
  InFlightElement.EncodedPart share();

  /** Gives a credit back to the producer. */
  void credit();

  /** Asks the producer, which is the enumerator of a source, for splits. */
  void requestSplits(long total);

  /** Releases the network buffer unless that has happened. */
  void release();
}
