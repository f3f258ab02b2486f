package io.millrace.dataplane;

import io.millrace.dataplane.records.RecordCodec;

/** A batch from another host, still as bytes. */
interface Arrived {
  int bytes();

  Object[] decode(RecordCodec codec);

  /** Lets the producer send another one. */
  void credit();

  /** Gives the bytes back; called once. */
  void release();
}
