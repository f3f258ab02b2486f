package io.millrace.dataplane;

import io.millrace.dataplane.records.ByteArrayOutput;

/** A batch on its way to another host: what of it is serialised, and how much of that was sent. */
final class OutboundBatch {
  final ByteArrayOutput bytes;

  /** How many of the batch's records have been serialised. */
  int serialized;

  /** How many records the next part may have. */
  int recordsPerPart;

  /** How long its records are; 0 as long as none was serialised. */
  float bytesPerRecord;

  /** How many of the present bytes are sent. */
  int sent;

  /**
   * @param bytes where it is serialised
   * @param recordsPerPart how many records the first part may have
   */
  OutboundBatch(ByteArrayOutput bytes, int recordsPerPart) {
    this.bytes = bytes;
    this.recordsPerPart = recordsPerPart;
  }

  /** Whether all that is serialised has been sent. */
  boolean isSent() {
    return sent == bytes.size();
  }
}
