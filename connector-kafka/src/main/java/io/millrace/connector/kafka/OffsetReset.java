package io.millrace.connector.kafka;

/** Where a source starts in a partition for which no offset is known. */
public enum OffsetReset {
  /** At the oldest record. */
  EARLIEST,
  /** Behind the newest record. */
  LATEST,
  /** Nowhere: the job fails. */
  FAIL
}
