package io.millrace.connector.kafka;

import io.millrace.api.format.SerializationSchema;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Writes to topics of Apache Kafka.
 *
 * <pre>{@code
 * orders.sinkTo(
 *     KafkaSink.to("host:9092", "orders", JsonFormat.of(Order.class)).exactlyOnce("billing"));
 * }</pre>
 *
 * <p>At least once by default: records are acknowledged by all replicas before a checkpoint, and
 * those since the last checkpoint are written again after a failure. {@link #exactlyOnce} writes in
 * transactions.
 *
 * @param <T> the records
 */
public final class KafkaSink<T> implements Sink<T> {
  private static final long serialVersionUID = 1L;

  /** As long as brokers allow by default. */
  private static final Duration TRANSACTION_TIMEOUT = Duration.ofMinutes(15);

  /** The properties that have methods, or that the guarantees rest on. */
  private static final Set<String> OWN_PROPERTIES =
      Set.of(
          ProducerConfig.ACKS_CONFIG,
          ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
          ProducerConfig.TRANSACTIONAL_ID_CONFIG,
          ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
          ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);

  private final KafkaConnection connection;
  private final KafkaRecordSerializer<? super T> records;

  private KafkaSink(KafkaConnection connection, KafkaRecordSerializer<? super T> records) {
    this.connection = connection;
    this.records = records;
  }

  /**
   * @param servers some brokers, as {@code host:port,host:port}
   */
  public static <T> KafkaSink<T> to(String servers, KafkaRecordSerializer<? super T> records) {
    return new KafkaSink<>(KafkaConnection.to(servers), Objects.requireNonNull(records, "records"));
  }

  /** Writes values to one topic. */
  public static <T> KafkaSink<T> to(
      String servers, String topic, SerializationSchema<? super T> format) {
    return to(servers, KafkaRecords.to(topic, format));
  }

  /** Sets a property of Kafka's producer. */
  public KafkaSink<T> property(String name, String value) {
    return new KafkaSink<>(connection.with(name, value, OWN_PROPERTIES), records);
  }

  /**
   * The same sink, which writes in transactions. They are committed with checkpoints, so that each
   * record appears once to consumers with the isolation level {@code read_committed}, with the
   * delay of a checkpoint.
   *
   * <p>A transaction is aborted by Kafka after the property {@code transaction.timeout.ms}, 15
   * minutes by default. It must be longer than the interval of checkpoints together with the
   * longest time for which the job may be down; brokers allow at most {@code
   * transaction.max.timeout.ms}.
   *
   * @param transactionalIdPrefix names the transactions of this sink. A job keeps it over restarts
   *     and upgrades, and no other sink that writes to the same brokers has it: starting one would
   *     abort the transactions of the other
   */
  public TransactionalKafkaSink<T> exactlyOnce(String transactionalIdPrefix) {
    KafkaConnection transactional =
        connection.property(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, "").isEmpty()
            ? connection.with(
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                String.valueOf(TRANSACTION_TIMEOUT.toMillis()),
                OWN_PROPERTIES)
            : connection;
    return new TransactionalKafkaSink<>(transactional, records, transactionalIdPrefix, false);
  }

  @Override
  public SinkWriter<T> createWriter(SinkContext context) throws InterruptedException {
    TopicChecks.requireExisting(connection, records);
    Map<String, Object> own = new HashMap<>();
    own.put(ProducerConfig.ACKS_CONFIG, "all");
    own.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    return new KafkaWriter<>(new RecordProducer(connection, own), records);
  }
}
