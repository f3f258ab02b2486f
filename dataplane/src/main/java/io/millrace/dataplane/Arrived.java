package io.millrace.dataplane;

/** A batch from another host, still as bytes. */
interface Arrived {
  /** Whether these bytes go on in the next one of the same channel. */
  boolean goesOn();

  /** The bytes; the buffer they came in goes back. */
  byte[] take();

  /** Lets the producer send another one. */
  void credit();

  /** Gives the buffer back if it has not gone yet. */
  void release();
}
