package io.millrace.dataplane.exchange;

import io.millrace.dataplane.records.ByteArrayOutput;

/** A frame from another host with serialised records. */
interface InboundFrame {
  /** Whether the batch continues in the next frame of the channel. */
  boolean hasMore();

  /** Whether the payload is the request of a checkpoint barrier and not records. */
  boolean isBarrier();

  /** Appends the bytes to an output and releases the network buffer. */
  void take(ByteArrayOutput to);

  /** The number of bytes; only before {@link #take}. */
  int length();

  /** Gives a credit back to the producer. */
  void credit();

  /** Releases the network buffer unless that has happened. */
  void release();
}
