package io.millrace.dataplane;

import io.millrace.dataplane.records.ByteSink;

/** A batch on its way to another host: what of it is serialised, and how much of that was sent. */
final class Parcel {
  final ByteSink bytes = new ByteSink();

  /** How many of the batch's records have been serialised. */
  int packed;

  /** How many records the next part may have. */
  int step;

  /** How many of the present bytes are sent. */
  int sent;

  Parcel(int records) {
    this.step = records;
  }

  /** Whether all that is serialised has been sent. */
  boolean isSent() {
    return sent == bytes.size();
  }
}
