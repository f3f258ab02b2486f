package io.millrace.dataplane;

import io.millrace.dataplane.records.ByteSink;

/** A batch on its way to another host: what of it is serialised, and how much of that was sent. */
final class Parcel {
  final ByteSink bytes;

  /** How many of the batch's records have been serialised. */
  int packed;

  /** How many records the next part may have. */
  int step;

  /** How long its records are; 0 as long as none was serialised. */
  float bytesARecord;

  /** How many of the present bytes are sent. */
  int sent;

  /**
   * @param bytes where it is serialised
   * @param step how many records the first part may have
   */
  Parcel(ByteSink bytes, int step) {
    this.bytes = bytes;
    this.step = step;
  }

  /** Whether all that is serialised has been sent. */
  boolean isSent() {
    return sent == bytes.size();
  }
}
