package io.millrace.connector.kafka;

/**
 * A record of Kafka that could not be parsed, as it goes into a side output.
 *
 * <pre>{@code
 * OutputTag<UnparsedRecord> unparsed = new OutputTag<>("unparsed");
 * DataStream<Order> parsed =
 *     env.fromSource(
 *         KafkaSource.of("host:9092", KafkaTopics.named("orders"), JsonFormat.of(Order.class))
 *             .badRecords(BadRecords.sideOutput(unparsed)),
 *         "orders");
 * parsed
 *     .sideOutput(unparsed)
 *     .map(UnparsedRecord::value)
 *     .sinkTo(KafkaSink.to("host:9092", "unparsed-orders", new BytesFormat()));
 * }</pre>
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
