package io.millrace.connector.kafka;

/**
 * Where a source starts in a partition for which no offset is known.
 *
 * <pre>{@code
 * // Goes on where the group has stopped; a new group starts with the records to come.
 * KafkaSource<Order> source =
 *     KafkaSource.of("host:9092", KafkaTopics.named("orders"), JsonFormat.of(Order.class))
 *         .groupId("billing")
 *         .startAt(StartingOffsets.committed(OffsetReset.LATEST));
 * }</pre>
 */
public enum OffsetReset {
  /** At the oldest record. */
  EARLIEST,
  /** Behind the newest record. */
  LATEST,
  /** Nowhere: the job fails. */
  FAIL
}
