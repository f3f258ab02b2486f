package io.millrace.dataplane;

import java.util.Arrays;

/**
 * Records on their way from one subtask to another, and the control element that ends them, if any.
 * It has one owner at a time: the producer, the inbox, the consumer.
 */
final class Batch {
  Object[] records;
  int size;
  Control control;

  /** Where it travels and who sent it; set when it is handed over. */
  EdgePlan edge;

  int producer;
  int channel;

  /** The same records as bytes, until the consumer has decoded them; null for local ones. */
  Arrived arrived;

  /** What goes to another host of it, while that is under way; null before and after. */
  Parcel parcel;

  /** The next one that waits for credit on the same channel. */
  Batch next;

  Batch(int capacity) {
    records = new Object[capacity];
  }

  void grow(int limit) {
    records = Arrays.copyOf(records, Math.min(limit, records.length * 2));
  }
}
