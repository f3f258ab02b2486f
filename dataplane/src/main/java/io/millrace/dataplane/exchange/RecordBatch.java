package io.millrace.dataplane.exchange;

import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.records.RecordBuffer;

/**
 * Records that travel from one subtask to another, and the control element that follows them. A
 * batch has one owner at a time: the producer, the input queue, the consumer.
 */
public final class RecordBatch extends RecordBuffer {
  /** The control element after the last record; null if there is none. */
  ControlElement control;

  /** The edge; set when the batch is sent, like the producer. */
  ExchangeEdge edge;

  int producer;

  /** The channel at the consumer; set when the batch is received. */
  int channel;

  /** The serialised records of a batch from another host; null for a local batch. */
  InboundFrame frame;

  /** The progress of sending the batch to another host; null before and after. */
  OutboundBatch outbound;

  /** The next batch that waits for credit on the same channel. */
  RecordBatch next;

  RecordBatch(int capacity) {
    super(capacity);
  }

  /** Gives back the network buffer of a batch that is dropped. */
  void release() {
    if (frame != null) {
      frame.release();
      frame = null;
    }
  }
}
