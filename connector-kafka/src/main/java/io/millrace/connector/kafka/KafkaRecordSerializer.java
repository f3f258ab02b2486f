package io.millrace.connector.kafka;

import java.io.Serializable;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Turns records of a stream into records of Kafka. Each subtask has a copy of its own. {@link
 * KafkaRecords} puts one together from formats.
 *
 * <pre>{@code
 * KafkaRecordSerializer<Payment> withKeys =
 *     (payment, partitions) ->
 *         new ProducerRecord<>(
 *             "payments",
 *             payment.customer().getBytes(StandardCharsets.UTF_8),
 *             Long.toString(payment.cents()).getBytes(StandardCharsets.UTF_8));
 * payments.sinkTo(KafkaSink.to("host:9092", withKeys));
 * }</pre>
 *
 * @param <T> the records of the stream
 */
@FunctionalInterface
public interface KafkaRecordSerializer<T> extends Serializable {
  /** Looks up how many partitions a topic has, for records with a partition. */
  @FunctionalInterface
  interface PartitionCounts {
    int of(String topic);
  }

  ProducerRecord<byte[], byte[]> serialize(T record, PartitionCounts partitions) throws Exception;
}
