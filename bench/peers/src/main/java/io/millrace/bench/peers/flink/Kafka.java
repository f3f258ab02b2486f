package io.millrace.bench.peers.flink;

import io.millrace.bench.load.Event;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.Payload;
import io.millrace.bench.load.SteadyState;
import io.millrace.bench.load.TopicParser;
import io.millrace.bench.load.TopicRecords;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * W13: {@code Kafka SERVERS INPUT RECORDS OUTPUT BROKER-PID}. The job runs twice, and the second
 * time counts.
 */
public final class Kafka {
  private static final int PARALLELISM = 2;

  private Kafka() {}

  public static void main(String[] args) throws Exception {
    JsonLine json = new JsonLine("flink", "W13", "reuse-pojo");
    start(args[0], args[1], args[3] + "-warm-up").getJobExecutionResult().get();
    JobClient job = start(args[0], args[1], args[3]);
    SteadyState.measureSecond(json, Long.parseLong(args[2]), Long.parseLong(args[4]));
    job.getJobExecutionResult().get();
    json.print();
    System.exit(0);
  }

  private static JobClient start(String servers, String input, String output) throws Exception {
    Configuration conf = new Configuration();
    conf.set(PipelineOptions.OBJECT_REUSE, true);
    conf.set(PipelineOptions.GENERIC_TYPES, false);
    conf.set(ExecutionOptions.BUFFER_TIMEOUT_ENABLED, false);
    conf.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    conf.set(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.EXACTLY_ONCE);
    conf.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    conf.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        Path.of(System.getProperty("checkpoints")).toUri().toString());
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, conf);
    env.fromSource(
            KafkaSource.<Payload>builder()
                .setBootstrapServers(servers)
                .setTopics(input)
                .setGroupId("bench")
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setBounded(OffsetsInitializer.latest())
                // As the source of Millrace does.
                .setProperty("isolation.level", "read_committed")
                .setProperty("max.poll.records", System.getProperty("max.poll.records", "500"))
                .setDeserializer(new Parse())
                .build(),
            WatermarkStrategy.<Payload>forMonotonousTimestamps()
                .withTimestampAssigner((payload, before) -> payload.value),
            "payloads")
        .keyBy(payload -> payload.key, Types.LONG)
        .window(TumblingEventTimeWindows.of(Duration.ofMillis(TopicRecords.WINDOW_MS)))
        .aggregate(
            new Throughput.Count<Payload>(),
            new Result(),
            Types.LONG,
            Types.LONG,
            TypeInformation.of(Event.class))
        .sinkTo(
            KafkaSink.<Event>builder()
                .setBootstrapServers(servers)
                .setRecordSerializer(
                    KafkaRecordSerializationSchema.<Event>builder()
                        .setTopic(output)
                        .setKeySerializationSchema(new Key())
                        .setValueSerializationSchema(new Value())
                        .build())
                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                .setTransactionalIdPrefix("bench-" + output)
                .setTransactionNamingStrategy(
                    TransactionNamingStrategy.valueOf(System.getProperty("naming", "POOLING")))
                .setProperty("transaction.timeout.ms", "900000")
                .build());

    return env.executeAsync();
  }

  private static final class Parse implements KafkaRecordDeserializationSchema<Payload> {
    private final TopicParser parser = new TopicParser(true);

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Payload> out) {
      out.collect(parser.parse(record.value()));
    }

    @Override
    public TypeInformation<Payload> getProducedType() {
      return TypeInformation.of(Payload.class);
    }
  }

  private static final class Result
      extends ProcessWindowFunction<Long, Event, Long, TimeWindow> {
    private transient Event only;

    @Override
    public void open(OpenContext context) {
      only = new Event();
    }

    @Override
    public void process(Long key, Context context, Iterable<Long> counts, Collector<Event> out) {
      only.key = key;
      only.timestamp = context.window().getStart();
      only.value = counts.iterator().next();
      out.collect(only);
    }
  }

  private static final class Key implements SerializationSchema<Event> {
    @Override
    public byte[] serialize(Event event) {
      return TopicRecords.number(event.key);
    }
  }

  private static final class Value implements SerializationSchema<Event> {
    @Override
    public byte[] serialize(Event event) {
      return TopicRecords.count(event.timestamp, event.value);
    }
  }
}
