package io.millrace.connector.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.format.StringFormat;
import io.millrace.api.process.OutputTag;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.core.testing.Behaviour;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that read from and write to a real broker. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class KafkaJobTest {
  private static final AtomicInteger FAILURES = new AtomicInteger();
  private static KafkaBroker broker;

  @TempDir Path directory;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.shared();
  }

  private static String failIfTold(String value) {
    if (FAILURES.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IllegalStateException("injected");
    }
    return value;
  }

  /** The values of one round, which go to three partitions. */
  private static List<ProducerRecord<String, String>> round(int number, int size) {
    List<ProducerRecord<String, String>> records = new ArrayList<>();
    for (int i = 0; i < 3 * size; i++) {
      records.add(new ProducerRecord<>("copy-in", i % 3, "", number + "-" + i));
    }
    return records;
  }

  @Test
  @Behaviour("H4: records from Kafka are in Kafka exactly once after failures of tasks")
  void copyIsExactAlthoughTasksFail() throws Exception {
    int rounds = 3;
    int size = 100;
    broker.createTopic("copy-in", 3);
    broker.createTopic("copy-out", 2);
    Map<TopicPartition, Long> end = new HashMap<>();
    for (int i = 0; i < 3; i++) {
      end.put(new TopicPartition("copy-in", i), (long) rounds * size);
    }
    List<String> expected = new ArrayList<>();
    JobExecutionResult result =
        EmbeddedJobs.run(
            EmbeddedJobs.restarting(directory),
            () -> {
              StreamEnvironment env = StreamEnvironment.current().parallelism(2);
              env.fromSource(
                      KafkaSource.of(
                              broker.servers(), KafkaTopics.named("copy-in"), new StringFormat())
                          .stopAt(StoppingOffsets.given(end)),
                      "in")
                  .map(KafkaJobTest::failIfTold)
                  .rebalance()
                  .sinkTo(
                      KafkaSink.<String>to(broker.servers(), "copy-out", new StringFormat())
                          .exactlyOnce("copy"));
              return env.executeAsync("copy");
            },
            () -> {
              for (int round = 0; round < rounds; round++) {
                // The first round fails before the first checkpoint with records, others after it.
                FAILURES.set(1);
                List<ProducerRecord<String, String>> records = round(round, size);
                broker.send(records);
                records.forEach(record -> expected.add(record.value()));
                await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> broker.committed("copy-out").size() >= expected.size());
                assertThat(FAILURES.get()).isZero();
              }
            });
    assertThat(result.status()).isEqualTo(JobStatus.FINISHED);
    assertThat(broker.committed("copy-out")).containsExactlyInAnyOrderElementsOf(expected);
  }

  /** One reader reads two partitions whose records are hours apart. */
  @Test
  @Behaviour("H4: each partition of Kafka has watermarks of its own")
  void partitionThatIsBehindIsNotLate() throws Exception {
    broker.createTopic("windows-in", 2);
    List<ProducerRecord<String, String>> records = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      records.add(new ProducerRecord<>("windows-in", 0, i * 10L, "", "behind"));
      records.add(new ProducerRecord<>("windows-in", 1, 10_000_000L + i * 10L, "", "ahead"));
    }
    broker.send(records);
    broker.createTopic("windows-out", 1);
    JobExecutionResult result =
        EmbeddedJobs.run(
            EmbeddedJobs.withoutRestart(directory),
            () -> {
              StreamEnvironment env = StreamEnvironment.current().parallelism(1);
              env.fromSource(
                      KafkaSource.of(
                              broker.servers(), KafkaTopics.named("windows-in"), new StringFormat())
                          .stopAt(StoppingOffsets.latest())
                          .property("max.poll.records", "10"),
                      WatermarkStrategy.forMonotonousTimestamps(),
                      "in")
                  .keyBy(name -> name)
                  .window(TumblingEventTimeWindows.of(Duration.ofMillis(500)))
                  .process((key, window, all) -> key + " " + window.start() + " " + size(all))
                  .sinkTo(KafkaSink.to(broker.servers(), "windows-out", new StringFormat()));
              return env.executeAsync("windows");
            },
            () -> {});
    assertThat(result.status()).isEqualTo(JobStatus.FINISHED);
    assertThat(broker.committed("windows-out"))
        .containsExactlyInAnyOrder(
            "behind 0 50", "behind 500 50", "ahead 10000000 50", "ahead 10000500 50");
  }

  private static int size(Iterable<String> all) {
    int count = 0;
    for (String each : all) {
      count += each.isEmpty() ? 0 : 1;
    }
    return count;
  }

  @Test
  @Behaviour("H4: records that cannot be parsed go to a topic of their own")
  void badRecordsGoToAnotherTopic() throws Exception {
    broker.createTopic("bad-in", 1);
    broker.createTopic("bad-out", 1);
    broker.createTopic("bad-letters", 1);
    broker.send("bad-in", 0, List.of("1", "two", "3"));
    OutputTag<UnparsedRecord> bad = new OutputTag<>("bad");
    JobExecutionResult result =
        EmbeddedJobs.run(
            EmbeddedJobs.withoutRestart(directory),
            () -> {
              StreamEnvironment env = StreamEnvironment.current().parallelism(2);
              DataStream<Integer> numbers =
                  env.fromSource(
                      KafkaSource.of(
                              broker.servers(),
                              KafkaTopics.named("bad-in"),
                              (byte[] message) ->
                                  Integer.parseInt(new String(message, StandardCharsets.UTF_8)))
                          .badRecords(BadRecords.sideOutput(bad))
                          .stopAt(StoppingOffsets.latest()),
                      "in");
              numbers
                  .map(number -> "number " + number)
                  .sinkTo(KafkaSink.to(broker.servers(), "bad-out", new StringFormat()));
              numbers
                  .sideOutput(bad)
                  .map(
                      each ->
                          each.topic()
                              + "-"
                              + each.partition()
                              + "@"
                              + each.offset()
                              + " "
                              + new String(each.value(), StandardCharsets.UTF_8))
                  .sinkTo(KafkaSink.to(broker.servers(), "bad-letters", new StringFormat()));
              return env.executeAsync("bad records");
            },
            () -> {});
    assertThat(result.status()).isEqualTo(JobStatus.FINISHED);
    assertThat(broker.committed("bad-out")).containsExactly("number 1", "number 3");
    assertThat(broker.committed("bad-letters")).containsExactly("bad-in-0@1 two");
  }

  @Test
  void jobWithoutItsTopicFailsWithTheName() throws Exception {
    JobExecutionResult result =
        EmbeddedJobs.run(
            EmbeddedJobs.withoutRestart(directory),
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              env.fromSource(
                      KafkaSource.of(
                          broker.servers(), KafkaTopics.named("nowhere"), new StringFormat()),
                      "in")
                  .sinkTo(new io.millrace.api.sink.DiscardSink<>());
              return env.executeAsync("without topic");
            },
            () -> {});
    assertThat(result.status()).isEqualTo(JobStatus.FAILED);
    assertThat(result.failure().orElseThrow().message())
        .contains("Topic 'nowhere' does not exist on Kafka at " + broker.servers());
  }
}
