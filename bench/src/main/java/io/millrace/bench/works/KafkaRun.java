package io.millrace.bench.works;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.bench.load.Event;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.Payload;
import io.millrace.bench.load.SteadyState;
import io.millrace.bench.load.TopicParser;
import io.millrace.bench.load.TopicRecords;
import io.millrace.connector.kafka.KafkaRecordDeserializer;
import io.millrace.connector.kafka.KafkaSink;
import io.millrace.connector.kafka.KafkaSource;
import io.millrace.connector.kafka.KafkaTopics;
import io.millrace.connector.kafka.StoppingOffsets;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * W13 on embedded clusters: {@code KafkaRun SERVERS INPUT RECORDS OUTPUT BROKER-PID}. The job runs
 * twice, and the second time counts.
 */
public final class KafkaRun {
  private KafkaRun() {}

  public static void main(String[] arguments) throws Exception {
    JsonLine json = new JsonLine("millrace", "W13", "default");
    String servers = arguments[0];
    String input = arguments[1];
    String output = arguments[3];
    try (Running warmUp =
        Running.start(env -> program(env, servers, input, output + KafkaWork.WARM_UP))) {
      warmUp.join();
    }
    try (Running running = Running.start(env -> program(env, servers, input, output))) {
      SteadyState.measureSecond(json, Long.parseLong(arguments[2]), Long.parseLong(arguments[4]));
      running.join();
    }
    json.print();
  }

  private static void program(StreamEnvironment env, String servers, String input, String output) {
    env.configure("execution.checkpointing.interval", "1 s");
    env.configure("execution.checkpointing.dir", System.getProperty("checkpoints"));
    env.fromSource(
            KafkaSource.of(servers, KafkaTopics.named(input), new Parse())
                .groupId("bench")
                .stopAt(StoppingOffsets.latest()),
            WatermarkStrategy.forMonotonousTimestamps(payload -> payload.value),
            "payloads")
        .keyBy(payload -> payload.key)
        .window(TumblingEventTimeWindows.of(Duration.ofMillis(TopicRecords.WINDOW_MS)))
        .aggregate(
            new CountPayloads(), (key, window, count) -> new Event(key, window.start(), count))
        .sinkTo(
            KafkaSink.<Event>to(
                    servers,
                    (event, partitions) ->
                        new ProducerRecord<>(
                            output,
                            TopicRecords.number(event.key),
                            TopicRecords.count(event.timestamp, event.value)))
                .exactlyOnce("bench-" + output));
  }

  private static final class Parse implements KafkaRecordDeserializer<Payload> {
    private static final long serialVersionUID = 1L;

    private final TopicParser parser = new TopicParser(false);

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Payload> out) {
      out.emit(parser.parse(record.value()));
    }
  }

  private static final class CountPayloads implements AggregateFunction<Payload, long[], Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public long[] create() {
      return new long[1];
    }

    @Override
    public long[] add(long[] count, Payload payload) {
      count[0]++;
      return count;
    }

    @Override
    public Long result(long[] count) {
      return count[0];
    }
  }
}
