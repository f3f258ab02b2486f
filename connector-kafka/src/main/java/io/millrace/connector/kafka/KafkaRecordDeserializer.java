package io.millrace.connector.kafka;

import io.millrace.api.format.DeserializationSchema;
import io.millrace.api.function.Collector;
import java.io.Serializable;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Turns records of Kafka into records of a stream. Each subtask has a copy of its own.
 *
 * <pre>{@code
 * // Records with the name of the customer as key.
 * KafkaRecordDeserializer<Payment> withKeys =
 *     (record, out) -> {
 *       String customer = new String(record.key(), StandardCharsets.UTF_8);
 *       String cents = new String(record.value(), StandardCharsets.UTF_8);
 *       out.emit(new Payment(customer, record.timestamp(), Long.parseLong(cents)));
 *     };
 * env.fromSource(
 *     KafkaSource.of("host:9092", KafkaTopics.named("payments"), withKeys), "payments");
 * }</pre>
 *
 * @param <T> the records of the stream
 */
@FunctionalInterface
public interface KafkaRecordDeserializer<T> extends Serializable {
  /**
   * Emits any number of records for one record of Kafka, which all have its timestamp. An exception
   * says that the record cannot be parsed; what was emitted for it before is dropped.
   */
  void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<T> out) throws Exception;

  /** Only values count. A record without a value, which deletes a key, is left out. */
  static <T> KafkaRecordDeserializer<T> values(DeserializationSchema<T> format) {
    Objects.requireNonNull(format, "format");
    return (record, out) -> {
      if (record.value() != null) {
        out.emit(format.deserialize(record.value()));
      }
    };
  }
}
