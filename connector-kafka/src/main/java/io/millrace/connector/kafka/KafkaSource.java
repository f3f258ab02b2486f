package io.millrace.connector.kafka;

import io.millrace.api.format.DeserializationSchema;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * Reads topics of Apache Kafka.
 *
 * <pre>{@code
 * KafkaSource<Order> source =
 *     KafkaSource.of("host:9092", KafkaTopics.named("orders"), JsonFormat.of(Order.class))
 *         .groupId("billing")
 *         .startAt(StartingOffsets.committed(OffsetReset.EARLIEST));
 * env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "orders").print();
 * }</pre>
 *
 * <p>Partitions are the splits: each has watermarks of its own, and a checkpoint has the offset of
 * each. The group, if there is one, gets the offsets of completed checkpoints; it has no say in
 * which subtask reads a partition and does not decide where a restarted job goes on. Records have
 * the timestamps of Kafka, which a timestamp assigner may replace.
 *
 * <p>Only records of committed transactions are read, unless the property {@code isolation.level}
 * says otherwise.
 *
 * @param <T> the records
 */
public final class KafkaSource<T>
    implements EnumeratedSource<T, KafkaPartitionSplit, DiscoveredPartitions> {
  private static final long serialVersionUID = 1L;
  private static final Duration DISCOVERY_INTERVAL = Duration.ofMinutes(1);

  /** The properties that have methods, or that the guarantees rest on. */
  private static final Set<String> OWN_PROPERTIES =
      Set.of(
          ConsumerConfig.GROUP_ID_CONFIG,
          ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

  private final KafkaSourceSettings settings;
  private final KafkaRecordDeserializer<T> deserializer;

  private KafkaSource(KafkaSourceSettings settings, KafkaRecordDeserializer<T> deserializer) {
    this.settings = settings;
    this.deserializer = deserializer;
  }

  /**
   * The values of records.
   *
   * @param servers some brokers, as {@code host:port,host:port}
   */
  public static <T> KafkaSource<T> of(
      String servers, KafkaTopics topics, DeserializationSchema<T> format) {
    return of(servers, topics, KafkaRecordDeserializer.values(format));
  }

  /** Records with keys, headers and offsets. */
  public static <T> KafkaSource<T> of(
      String servers, KafkaTopics topics, KafkaRecordDeserializer<T> deserializer) {
    return new KafkaSource<>(
        new KafkaSourceSettings(
            KafkaConnection.to(servers),
            Objects.requireNonNull(topics, "topics"),
            null,
            StartingOffsets.earliest(),
            null,
            DISCOVERY_INTERVAL,
            BadRecords.fail()),
        Objects.requireNonNull(deserializer, "deserializer"));
  }

  /** The group whose offsets are committed with checkpoints. */
  public KafkaSource<T> groupId(String group) {
    if (group.isBlank()) {
      throw new MillraceException(ErrorKind.USER, "The group of a Kafka source is empty.");
    }
    return with(settings.withGroup(group));
  }

  /** Where to start; at the oldest records by default. */
  public KafkaSource<T> startAt(StartingOffsets starting) {
    return with(settings.withStarting(Objects.requireNonNull(starting, "starting")));
  }

  /** Ends the source, and with it the job, at these offsets. */
  public KafkaSource<T> stopAt(StoppingOffsets stopping) {
    return with(settings.withStopping(Objects.requireNonNull(stopping, "stopping")));
  }

  /**
   * Looks for new partitions and, with a pattern, for new topics in this interval; 1 minute by
   * default, zero for never. A bounded source looks once.
   */
  public KafkaSource<T> discoverEvery(Duration interval) {
    if (interval.isNegative()) {
      throw new MillraceException(
          ErrorKind.USER, "Partitions are looked for every " + interval + ". Name 0 s or more.");
    }
    return with(settings.withInterval(interval));
  }

  /** What happens with records that cannot be parsed; by default the task fails. */
  public KafkaSource<T> badRecords(BadRecords bad) {
    return with(settings.withBadRecords(Objects.requireNonNull(bad, "bad")));
  }

  /** Sets a property of Kafka's consumer. */
  public KafkaSource<T> property(String name, String value) {
    return with(settings.withConnection(settings.connection().with(name, value, OWN_PROPERTIES)));
  }

  private KafkaSource<T> with(KafkaSourceSettings changed) {
    return new KafkaSource<>(changed, deserializer);
  }

  @Override
  public boolean isBounded() {
    return settings.stopping().isPresent();
  }

  @Override
  public Assignment assignment() {
    return Assignment.AT_ONCE;
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, DiscoveredPartitions> createEnumerator(
      EnumeratorContext context) {
    return new KafkaEnumerator(settings, context, Optional.empty());
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, DiscoveredPartitions> restoreEnumerator(
      EnumeratorContext context, List<DiscoveredPartitions> state) {
    return new KafkaEnumerator(settings, context, state.stream().findFirst());
  }

  @Override
  public SourceReader<T, KafkaPartitionSplit> createReader(SourceContext context) {
    return new KafkaReader<>(
        new KafkaFetcher(settings, context),
        new RecordParser<>(deserializer, settings.badRecords()));
  }
}
