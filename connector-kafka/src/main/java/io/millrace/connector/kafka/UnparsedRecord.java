package io.millrace.connector.kafka;

/**
 * A record of Kafka that could not be parsed, as it goes into a side output.
 *
 * @param timestamp in milliseconds since 1970
 * @param key null if the record has none
 * @param value null if the record has none
 * @param error why it cannot be parsed
 */
public record UnparsedRecord(
    String topic,
    int partition,
    long offset,
    long timestamp,
    byte[] key,
    byte[] value,
    String error) {}
