package io.millrace.connector.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.format.StringFormat;
import io.millrace.api.sink.DiscardSink;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker that is killed while jobs use it. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BrokerFailureTest {
  @TempDir Path directory;

  private static List<String> values(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "v" + i).toList();
  }

  private static JobClient copy(String servers) {
    StreamEnvironment env = StreamEnvironment.current().parallelism(1);
    env.fromSource(
            KafkaSource.of(servers, KafkaTopics.named("in"), new StringFormat())
                .stopAt(StoppingOffsets.given(Map.of(new TopicPartition("in", 0), 400L))),
            "in")
        .sinkTo(KafkaSink.<String>to(servers, "out", new StringFormat()).exactlyOnce("copy"));
    return env.executeAsync("copy");
  }

  private static JobClient discard(String servers) {
    StreamEnvironment env = StreamEnvironment.current().parallelism(1);
    env.fromSource(
            KafkaSource.of(servers, KafkaTopics.named("in"), new StringFormat())
                .groupId("discard")
                .property("default.api.timeout.ms", "2000"),
            "in")
        .sinkTo(new DiscardSink<>());
    return env.executeAsync("discard");
  }

  @Test
  @Behaviour("H4: a Kafka broker that is killed and comes back costs and doubles no record")
  void jobGoesOnWhenTheBrokerComesBackAndFailsClearlyWhenItDoesNot() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(directory.resolve("broker"), Path.of("."))) {
      broker.createTopic("in", 1);
      broker.createTopic("out", 1);
      broker.send("in", 0, values(0, 200));
      JobExecutionResult copied =
          EmbeddedJobs.run(
              EmbeddedJobs.restarting(directory.resolve("copy")),
              () -> copy(broker.servers()),
              () -> {
                await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> broker.committed("out").size() == 200);
                broker.send("in", 0, values(200, 300));
                broker.kill();
                broker.start();
                broker.send("in", 0, values(300, 400));
              });
      assertThat(copied.status()).isEqualTo(JobStatus.FINISHED);
      assertThat(broker.committed("out")).containsExactlyElementsOf(values(0, 400));

      JobExecutionResult failed =
          EmbeddedJobs.run(
              EmbeddedJobs.withoutRestart(directory.resolve("discard")),
              () -> discard(broker.servers()),
              () -> {
                await().atMost(Duration.ofMinutes(1)).until(() -> committed(broker) == 400);
                broker.kill();
              });
      assertThat(failed.status()).isEqualTo(JobStatus.FAILED);
      assertThat(failed.failure().orElseThrow().message())
          .contains("What follows in topic 'in' cannot be learned: Kafka at " + broker.servers())
          .contains("did not answer within 2000 ms (default.api.timeout.ms)")
          .contains("Check that the brokers run");
    }
  }

  private static long committed(KafkaBroker broker) throws Exception {
    try (org.apache.kafka.clients.admin.Admin admin = broker.admin()) {
      return admin
          .listConsumerGroupOffsets("discard")
          .partitionsToOffsetAndMetadata()
          .get()
          .values()
          .stream()
          .mapToLong(each -> each == null ? 0 : each.offset())
          .sum();
    } catch (java.util.concurrent.ExecutionException e) {
      if (e.getCause() instanceof org.apache.kafka.common.errors.GroupIdNotFoundException) {
        return 0;
      }
      throw e;
    }
  }
}
