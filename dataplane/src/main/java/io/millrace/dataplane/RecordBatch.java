package io.millrace.dataplane;

import io.millrace.api.time.Timestamps;
import io.millrace.dataplane.records.RecordBatchCodec;
import java.util.Arrays;

/**
 * Records on their way from one subtask to another, and the control element that ends them, if any.
 * It has one owner at a time: the producer, the inbox, the consumer.
 */
final class RecordBatch {
  Object[] records;
  int size;

  /** The records' times, by position; null while none of them has one. */
  long[] timestamps;

  ControlElement control;

  /** Where it travels and who sent it; set when it is handed over. */
  ExchangeEdge edge;

  int producer;
  int channel;

  /** The same records as bytes, until the consumer has decoded them; null for local ones. */
  InboundFrame frame;

  /** What goes to another host of it, while that is under way; null before and after. */
  OutboundBatch outbound;

  /** The next one that waits for credit on the same channel. */
  RecordBatch next;

  RecordBatch(int capacity) {
    records = new Object[capacity];
  }

  /** The records' times by position, empty if none has one. */
  long[] timestamps() {
    return timestamps == null ? RecordBatchCodec.NO_TIMESTAMPS : timestamps;
  }

  void grow(int limit) {
    records = Arrays.copyOf(records, Math.min(limit, records.length * 2));
    if (timestamps != null) {
      timestamps = Arrays.copyOf(timestamps, records.length);
    }
  }

  /** Notes the time of the record that is added next. */
  void stamp(long timestamp) {
    if (timestamps == null) {
      timestamps = new long[records.length];
      Arrays.fill(timestamps, 0, size, Timestamps.NONE);
    }
    timestamps[size] = timestamp;
  }
}
