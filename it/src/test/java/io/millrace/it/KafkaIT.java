package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.connector.kafka.KafkaBroker;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program from Kafka to Kafka on a cluster of processes, while TaskManagers and broker are
 * killed.
 */
class KafkaIT {
  private static final int PARTITIONS = 3;
  private static final int PAGES = 5;

  /** The visits of a partition in one second, and the seconds of one round. */
  private static final int VISITS = 20;

  private static final int SECONDS = 10;

  private static final Path PROGRAM =
      Path.of("..", "examples-kafka", "target", "kafka-windowed-count.jar").toAbsolutePath();

  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir Path directory;

  /** By page and window, as the program writes them. */
  private final Map<String, Long> expected = new LinkedHashMap<>();

  private int nextSecond;

  /** Visits of the next seconds in all partitions. */
  private void visit(KafkaBroker broker) throws Exception {
    List<ProducerRecord<String, String>> records = new ArrayList<>();
    for (int second = nextSecond; second < nextSecond + SECONDS; second++) {
      for (int i = 0; i < VISITS * PARTITIONS; i++) {
        int page = (i + second) % PAGES;
        records.add(visit(i % PARTITIONS, page, second * 1000L + i));
        expected.merge("page" + page + "@" + second * 1000L, 1L, Long::sum);
      }
    }
    nextSecond += SECONDS;
    broker.send(records);
  }

  private static ProducerRecord<String, String> visit(int partition, int page, long time) {
    return new ProducerRecord<>(
        "visits", partition, null, "{\"page\":\"page" + page + "\",\"time\":" + time + "}");
  }

  /** The counts of the seconds before the last one, whose windows are not complete yet. */
  private List<String> complete() {
    List<String> counts = new ArrayList<>();
    expected.forEach(
        (window, count) -> {
          String[] parts = window.split("@");
          if (Long.parseLong(parts[1]) < (nextSecond - 1) * 1000L) {
            counts.add(
                "{\"page\":\""
                    + parts[0]
                    + "\",\"start\":"
                    + parts[1]
                    + ",\"count\":"
                    + count
                    + "}");
          }
        });
    return counts;
  }

  private void awaitOutput(KafkaBroker broker) {
    int windows = complete().size();
    // Not as often as other tests ask: each question opens a consumer.
    Awaitility.await(windows + " counts are committed")
        .pollInterval(Duration.ofMillis(500))
        .atMost(Duration.ofMinutes(3))
        .until(() -> broker.committed("counts").size() >= windows);
    assertThat(broker.committed("counts")).containsExactlyInAnyOrderElementsOf(complete());
  }

  @Test
  @Behaviour(
      "H4: counts from Kafka to Kafka are exact although TaskManagers and the broker are killed")
  void countsAreExactAlthoughTaskManagersAndTheBrokerAreKilled() throws Exception {
    try (KafkaBroker broker =
            KafkaBroker.start(directory.resolve("broker"), Path.of("..", "connector-kafka"));
        Cluster cluster = SHELL.startCluster("--taskmanagers", "3", "--slots", "1")) {
      broker.createTopic("visits", PARTITIONS);
      broker.createTopic("counts", 2);
      String job =
          cluster.submit(
              "-p",
              "2",
              "-D",
              "execution.checkpointing.interval=200 ms",
              PROGRAM.toString(),
              broker.servers(),
              "visits",
              "counts");
      visit(broker);
      awaitOutput(broker);

      visit(broker);
      cluster.kill(cluster.anyBusyTaskManager());
      visit(broker);
      awaitOutput(broker);
      cluster.millrace("cluster", "add").succeeded();

      visit(broker);
      broker.kill();
      broker.start();
      visit(broker);
      awaitOutput(broker);

      visit(broker);
      broker.kill();
      cluster.kill(cluster.anyBusyTaskManager());
      broker.start();
      visit(broker);
      awaitOutput(broker);

      cluster.millrace("stop", job, "-p", SHELL.directory().toString()).succeeded();
      assertThat(cluster.rest().state(job)).isEqualTo("FINISHED");
      assertThat(broker.committed("counts")).doesNotHaveDuplicates().containsAll(complete());
    }
  }
}
