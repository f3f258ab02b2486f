package io.millrace.dataplane.exchange;

import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.records.RecordBuffer;
import io.millrace.task.checkpoint.CheckpointRequest;

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

  /** Whether the batch took a credit of its channel. A barrier and restored records do not. */
  boolean hasCredit = true;

  /** The capture at the producer that waits until this barrier is sent; null if none. */
  InFlightCapture waitingCapture;

  /** The next batch that waits for credit on the same channel. */
  RecordBatch next;

  RecordBatch(int capacity) {
    super(capacity);
  }

  /** A batch with nothing but a barrier. */
  static RecordBatch barrier(CheckpointRequest request) {
    RecordBatch batch = new RecordBatch(0);
    batch.control = new ControlElement.CheckpointBarrier(request);
    batch.hasCredit = false;
    return batch;
  }

  /** The input of the consumer that the records are for: 0, or 1 for the second of two. */
  public int targetInput() {
    return edge.edge().targetInput();
  }

  /** Gives back the network buffer of a batch that is dropped. */
  void release() {
    if (frame != null) {
      frame.release();
      frame = null;
    }
  }
}
