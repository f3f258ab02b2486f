package io.millrace.dataplane;

import io.millrace.dataplane.records.ByteArrayOutput;

/** A batch from another host, still as bytes. */
interface InboundFrame {
  /** Whether these bytes go on in the next one of the same channel. */
  boolean hasMore();

  /** Appends the bytes to these; the buffer they came in goes back. */
  void take(ByteArrayOutput to);

  /** How many bytes there are, as long as they have not been taken. */
  int length();

  /** Lets the producer send another one. */
  void credit();

  /** Gives the buffer back if it has not gone yet. */
  void release();
}
