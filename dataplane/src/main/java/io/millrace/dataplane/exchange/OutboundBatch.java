package io.millrace.dataplane.exchange;

import io.millrace.dataplane.records.ByteArrayOutput;

/** The progress of a batch that is sent to another host. */
final class OutboundBatch {
  final ByteArrayOutput bytes;

  /** The number of records that are serialised. */
  int serialized;

  /** The first record of the part that is being sent. */
  int partStart;

  /** The maximum number of records in the next part. */
  int recordsPerPart;

  /** The size of the records; 0 until one is serialised. */
  float bytesPerRecord;

  /** The number of bytes of the part that are sent. */
  int sent;

  /**
   * @param bytes takes the serialised part
   * @param recordsPerPart the maximum number of records in the first part
   */
  OutboundBatch(ByteArrayOutput bytes, int recordsPerPart) {
    this.bytes = bytes;
    this.recordsPerPart = recordsPerPart;
  }

  /** The first record that the consumer cannot have, because no complete part has it. */
  int firstUnsent() {
    return isSent() ? serialized : partStart;
  }

  /** Whether all serialised bytes are sent. */
  boolean isSent() {
    return sent == bytes.size();
  }
}
