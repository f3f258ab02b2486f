package io.millrace.connector.kafka;

import io.millrace.api.format.SerializationSchema;
import io.millrace.api.function.LongExtractor;
import io.millrace.api.function.MapFunction;
import io.millrace.api.function.Partitioner;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The topic, key, value, headers, partition and timestamp of records.
 *
 * <pre>{@code
 * KafkaRecords<Order> records =
 *     KafkaRecords.to("orders", JsonFormat.of(Order.class))
 *         .key(Order::customer, new StringFormat())
 *         .timestamp(Order::time);
 * orders.sinkTo(KafkaSink.to("host:9092", records));
 * }</pre>
 *
 * @param <T> the records
 */
public final class KafkaRecords<T> implements KafkaRecordSerializer<T> {
  private static final long serialVersionUID = 1L;

  private final MapFunction<? super T, String> topic;

  /** The topic of all records; null if each record has its own. */
  private final String onlyTopic;

  private final SerializationSchema<? super T> value;

  // --- null for none
  private final MapFunction<? super T, byte[]> key;
  private final MapFunction<? super T, Map<String, byte[]>> headers;
  private final Partitioner<? super T> partitioner;
  private final LongExtractor<? super T> timestamp;

  private KafkaRecords(
      MapFunction<? super T, String> topic,
      String onlyTopic,
      SerializationSchema<? super T> value,
      MapFunction<? super T, byte[]> key,
      MapFunction<? super T, Map<String, byte[]>> headers,
      Partitioner<? super T> partitioner,
      LongExtractor<? super T> timestamp) {
    this.topic = topic;
    this.onlyTopic = onlyTopic;
    this.value = value;
    this.key = key;
    this.headers = headers;
    this.partitioner = partitioner;
    this.timestamp = timestamp;
  }

  /** All records go to one topic. */
  public static <T> KafkaRecords<T> to(String topic, SerializationSchema<? super T> value) {
    if (topic.isBlank()) {
      throw new MillraceException(ErrorKind.USER, "The topic of a Kafka sink is empty.");
    }
    return new KafkaRecords<>(
        record -> topic, topic, Objects.requireNonNull(value, "value"), null, null, null, null);
  }

  /** Each record goes to the topic that the function names. */
  public static <T> KafkaRecords<T> toTopics(
      MapFunction<? super T, String> topic, SerializationSchema<? super T> value) {
    return new KafkaRecords<>(
        Objects.requireNonNull(topic, "topic"),
        null,
        Objects.requireNonNull(value, "value"),
        null,
        null,
        null,
        null);
  }

  /** Records with the same key go to the same partition, unless there is a partitioner. */
  public <K> KafkaRecords<T> key(
      MapFunction<? super T, K> function, SerializationSchema<? super K> format) {
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(format, "format");
    return new KafkaRecords<>(
        topic,
        onlyTopic,
        value,
        record -> {
          K found = function.map(record);
          return found == null ? null : format.serialize(found);
        },
        headers,
        partitioner,
        timestamp);
  }

  public KafkaRecords<T> headers(MapFunction<? super T, Map<String, byte[]>> function) {
    return new KafkaRecords<>(topic, onlyTopic, value, key, function, partitioner, timestamp);
  }

  /** Chooses the partition of each record, instead of the hash of its key. */
  public KafkaRecords<T> partitioner(Partitioner<? super T> function) {
    return new KafkaRecords<>(topic, onlyTopic, value, key, headers, function, timestamp);
  }

  /** The timestamps of records, in milliseconds since 1970; by default the time of writing. */
  public KafkaRecords<T> timestamp(LongExtractor<? super T> function) {
    return new KafkaRecords<>(topic, onlyTopic, value, key, headers, partitioner, function);
  }

  /** The topic of all records; null if each record has its own. */
  String onlyTopic() {
    return onlyTopic;
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(T record, PartitionCounts partitions)
      throws Exception {
    String to = topic.map(record);
    Integer partition = null;
    if (partitioner != null) {
      int count = partitions.of(to);
      partition = partitioner.partition(record, count);
      if (partition < 0 || partition >= count) {
        throw new MillraceException(
            ErrorKind.USER,
            "The partitioner chose partition "
                + partition
                + " of topic '"
                + to
                + "', which has the partitions 0 to "
                + (count - 1)
                + ".");
      }
    }
    ProducerRecord<byte[], byte[]> written =
        new ProducerRecord<>(
            to,
            partition,
            timestamp == null ? null : timestamp.extract(record),
            key == null ? null : key.map(record),
            value.serialize(record));
    if (headers != null) {
      headers.map(record).forEach(written.headers()::add);
    }
    return written;
  }
}
