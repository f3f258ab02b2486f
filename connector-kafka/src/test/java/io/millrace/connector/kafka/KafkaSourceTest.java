package io.millrace.connector.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.format.StringFormat;
import io.millrace.api.process.OutputTag;
import io.millrace.connector.kafka.SourceDriver.Checkpoint;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Enumerator and readers of a source on a real broker. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KafkaSourceTest {
  private static KafkaBroker broker;
  private String topic;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.shared();
  }

  @BeforeEach
  void nameTopic(TestInfo test) {
    topic = test.getTestMethod().orElseThrow().getName();
  }

  private static List<String> values(String prefix, int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> prefix + i).toList();
  }

  private KafkaSource<String> source() {
    return KafkaSource.of(broker.servers(), KafkaTopics.named(topic), new StringFormat());
  }

  /** Two partitions with the values a0 to a9 and b0 to b9. */
  private void createAndFill() throws Exception {
    broker.createTopic(topic, 2);
    broker.send(topic, 0, values("a", 0, 10));
    broker.send(topic, 1, values("b", 0, 10));
  }

  private static List<String> plus(List<String> one, List<String> other) {
    List<String> all = new ArrayList<>(one);
    all.addAll(other);
    return all;
  }

  private List<String> readAll(KafkaSource<String> source) throws Exception {
    try (SourceDriver<String> driver = SourceDriver.start(source, 2)) {
      return driver.readAll();
    }
  }

  // --- where reading starts and ends

  @Test
  void boundedSourceReadsWhatIsThereAndEndsEachSplit() throws Exception {
    createAndFill();
    try (SourceDriver<String> driver =
        SourceDriver.start(source().stopAt(StoppingOffsets.latest()), 3)) {
      assertThat(driver.readAll())
          .containsExactlyInAnyOrderElementsOf(plus(values("a", 0, 10), values("b", 0, 10)));
      assertThat(driver.finishedSplits).containsExactlyInAnyOrder(topic + "-0", topic + "-1");
      assertThat(driver.emitted)
          .allSatisfy(
              each -> {
                assertThat(each.split())
                    .isEqualTo(topic + (each.record().startsWith("a") ? "-0" : "-1"));
                assertThat(each.timestamp()).isPositive();
              });
    }
  }

  @Test
  void latestStartsBehindTheRecordsThatAreThere() throws Exception {
    createAndFill();
    try (SourceDriver<String> driver =
        SourceDriver.start(source().startAt(StartingOffsets.latest()), 2)) {
      // The enumerator has the offsets.
      driver.until(() -> !snapshotOf(driver).enumerator().isEmpty());
      broker.send(topic, 0, values("a", 10, 12));
      broker.send(topic, 1, values("b", 10, 12));
      assertThat(driver.read(4)).containsExactlyInAnyOrder("a10", "a11", "b10", "b11");
    }
  }

  private static Checkpoint snapshotOf(SourceDriver<String> driver) {
    try {
      return driver.checkpoint(0);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void givenOffsetsBoundBothEnds() throws Exception {
    createAndFill();
    TopicPartition zero = new TopicPartition(topic, 0);
    assertThat(
            readAll(
                source()
                    .startAt(StartingOffsets.given(Map.of(zero, 3L), OffsetReset.LATEST))
                    .stopAt(StoppingOffsets.given(Map.of(zero, 6L)))))
        .containsExactly("a3", "a4", "a5");
  }

  @Test
  void timestampsBoundBothEnds() throws Exception {
    broker.createTopic(topic, 2);
    List<ProducerRecord<String, String>> records = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      records.add(new ProducerRecord<>(topic, 0, 1000L * i, "", "a" + i));
    }
    broker.send(records);
    assertThat(
            readAll(
                source()
                    .startAt(StartingOffsets.timestamp(Instant.ofEpochMilli(3500)))
                    .stopAt(StoppingOffsets.timestamp(Instant.ofEpochMilli(6000)))))
        .containsExactly("a4", "a5");
  }

  @Test
  void committedOffsetsCountAndOthersAreReset() throws Exception {
    createAndFill();
    try (Admin admin = broker.admin()) {
      admin
          .alterConsumerGroupOffsets(
              topic, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(8)))
          .all()
          .get();
    }
    KafkaSource<String> bounded = source().groupId(topic).stopAt(StoppingOffsets.latest());
    assertThat(readAll(bounded.startAt(StartingOffsets.committed(OffsetReset.EARLIEST))))
        .containsExactlyInAnyOrderElementsOf(plus(List.of("a8", "a9"), values("b", 0, 10)));
    assertThat(readAll(bounded.startAt(StartingOffsets.committed(OffsetReset.LATEST))))
        .containsExactly("a8", "a9");
    assertThatThrownBy(() -> readAll(bounded.startAt(StartingOffsets.committed(OffsetReset.FAIL))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(topic + "-1: group '" + topic + "' has committed no offset");
  }

  @Test
  void committedOffsetsNeedAGroup() {
    assertThatThrownBy(
            () -> readAll(source().startAt(StartingOffsets.committed(OffsetReset.EARLIEST))))
        .hasMessageContaining("has no group. Name one with groupId.");
  }

  /** Markers of transactions and aborted records have offsets, but are no records. */
  @Test
  void boundedSourceEndsBehindAbortedTransactions() throws Exception {
    broker.createTopic(topic, 1);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.servers(), "transactional.id", topic),
            new StringSerializer(),
            new StringSerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, "committed"));
      producer.commitTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, "aborted"));
      producer.flush();
      producer.abortTransaction();
    }
    KafkaSource<String> bounded = source().stopAt(StoppingOffsets.latest());
    assertThat(readAll(bounded)).containsExactly("committed");
    assertThat(readAll(bounded.property("isolation.level", "read_uncommitted")))
        .containsExactly("committed", "aborted");
  }

  // --- discovery

  @Test
  @Behaviour(
      "H4: partitions and topics of Kafka that appear while a job runs are read from their start")
  void newPartitionsAndTopicsAreReadFromTheirOldestRecord() throws Exception {
    broker.createTopic(topic + "-first", 1);
    broker.send(topic + "-first", 0, values("old", 0, 5));
    KafkaSource<String> source =
        KafkaSource.of(broker.servers(), KafkaTopics.matching(topic + "-.*"), new StringFormat())
            .startAt(StartingOffsets.latest())
            .discoverEvery(Duration.ofMillis(10));
    Checkpoint checkpoint;
    try (SourceDriver<String> driver = SourceDriver.start(source, 2)) {
      driver.until(() -> !snapshotOf(driver).enumerator().isEmpty());
      broker.addPartitions(topic + "-first", 2);
      broker.send(topic + "-first", 1, values("partition", 0, 3));
      assertThat(driver.read(3)).containsExactlyElementsOf(values("partition", 0, 3));
      checkpoint = driver.checkpoint(1);
    }
    broker.createTopic(topic + "-second", 1);
    broker.send(topic + "-second", 0, values("topic", 0, 3));
    try (SourceDriver<String> driver = SourceDriver.restore(source, 1, checkpoint)) {
      assertThat(driver.read(3)).containsExactlyElementsOf(values("topic", 0, 3));
    }
  }

  // --- checkpoints

  @Test
  @Behaviour(
      "H4: a Kafka source goes on exactly at the offsets of a checkpoint, with any parallelism")
  void restoredReadersGoOnExactlyAlsoWithAnotherParallelism() throws Exception {
    int partitions = 5;
    broker.createTopic(topic, partitions);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      List<String> values = values(i + ":", 0, 100);
      broker.send(topic, i, values);
      all.addAll(values);
    }
    KafkaSource<String> source = source().stopAt(StoppingOffsets.latest());
    List<String> before;
    Checkpoint checkpoint;
    try (SourceDriver<String> driver = SourceDriver.start(source, 2)) {
      driver.read(150);
      checkpoint = driver.checkpoint(1);
      before = driver.records();
      // What is emitted after the checkpoint is emitted again.
      driver.read(before.size() + 50);
    }
    for (int parallelism : new int[] {1, 3}) {
      try (SourceDriver<String> driver = SourceDriver.restore(source, parallelism, checkpoint)) {
        assertThat(plus(before, driver.readAll())).containsExactlyInAnyOrderElementsOf(all);
      }
    }
  }

  @Test
  void offsetsAreCommittedWhenTheCheckpointIsComplete() throws Exception {
    createAndFill();
    try (SourceDriver<String> driver = SourceDriver.start(source().groupId(topic), 2)) {
      driver.read(20);
      driver.checkpoint(1);
      broker.send(topic, 0, List.of("a10"));
      driver.read(21);
      driver.checkpoint(2);
      assertThat(committed()).isEmpty();
      driver.completed(1);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> driver.step(7) || committed().equals(Map.of(0, 10L, 1, 10L)));
      driver.completed(2);
    }
    // The close sends what is left.
    assertThat(committed()).isEqualTo(Map.of(0, 11L, 1, 10L));
  }

  private Map<Integer, Long> committed() throws Exception {
    try (Admin admin = broker.admin()) {
      Map<Integer, Long> offsets = new HashMap<>();
      admin
          .listConsumerGroupOffsets(topic)
          .partitionsToOffsetAndMetadata()
          .get()
          .forEach((partition, offset) -> offsets.put(partition.partition(), offset.offset()));
      return offsets;
    } catch (java.util.concurrent.ExecutionException e) {
      if (e.getCause() instanceof org.apache.kafka.common.errors.GroupIdNotFoundException) {
        return Map.of();
      }
      throw e;
    }
  }

  @Test
  void pausedSplitsEmitNothingUntilTheyGoOn() throws Exception {
    createAndFill();
    try (SourceDriver<String> driver =
        SourceDriver.start(source().stopAt(StoppingOffsets.latest()), 1)) {
      driver.until(() -> driver.records().stream().anyMatch(each -> each.startsWith("a")), 1);
      driver.pause(Set.of(topic + "-0"));
      int before = count(driver, "a");
      driver.until(() -> count(driver, "b") == 10, 1);
      assertThat(count(driver, "a")).isEqualTo(before).isLessThan(10);
      assertThat(driver.checkpoint(1).splits())
          .containsExactly(new KafkaPartitionSplit(topic, 0, before, 10));
      driver.pause(Set.of());
      assertThat(driver.readAll())
          .containsExactlyInAnyOrderElementsOf(plus(values("a", 0, 10), values("b", 0, 10)));
    }
  }

  private static int count(SourceDriver<String> driver, String prefix) {
    return (int) driver.records().stream().filter(each -> each.startsWith(prefix)).count();
  }

  // --- wrong input

  private void fillWithBadRecord() throws Exception {
    broker.createTopic(topic, 1);
    broker.send(topic, 0, List.of("1", "2", "three", "4"));
  }

  private KafkaSource<Integer> numbers() {
    return KafkaSource.of(
            broker.servers(),
            KafkaTopics.named(topic),
            (byte[] message) -> Integer.parseInt(new String(message, StandardCharsets.UTF_8)))
        .stopAt(StoppingOffsets.latest());
  }

  @Test
  void badRecordFailsWithItsPlace() throws Exception {
    fillWithBadRecord();
    try (SourceDriver<Integer> driver = SourceDriver.start(numbers(), 1)) {
      assertThatThrownBy(driver::readAll)
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining(
              "Record at offset 2 of partition 0 of topic '" + topic + "' cannot be parsed: ")
          .hasMessageContaining("three")
          .extracting(thrown -> ((MillraceException) thrown).kind())
          .isEqualTo(ErrorKind.USER);
      assertThat(driver.records()).containsExactly(1, 2);
    }
  }

  @Test
  void badRecordIsSkippedOnRequest() throws Exception {
    fillWithBadRecord();
    try (SourceDriver<Integer> driver =
        SourceDriver.start(numbers().badRecords(BadRecords.skip()), 1)) {
      assertThat(driver.readAll()).containsExactly(1, 2, 4);
      assertThat(driver.sideOutput).isEmpty();
    }
  }

  @Test
  void badRecordGoesIntoASideOutputOnRequest() throws Exception {
    fillWithBadRecord();
    OutputTag<UnparsedRecord> tag = new OutputTag<>("bad");
    try (SourceDriver<Integer> driver =
        SourceDriver.start(numbers().badRecords(BadRecords.sideOutput(tag)), 1)) {
      assertThat(driver.readAll()).containsExactly(1, 2, 4);
      assertThat(driver.sideOutput)
          .singleElement()
          .isInstanceOfSatisfying(
              UnparsedRecord.class,
              bad -> {
                assertThat(bad.topic()).isEqualTo(topic);
                assertThat(bad.partition()).isZero();
                assertThat(bad.offset()).isEqualTo(2);
                assertThat(bad.value()).asString(StandardCharsets.UTF_8).isEqualTo("three");
                assertThat(bad.error()).contains("NumberFormatException");
              });
    }
  }

  @Test
  @Behaviour("H4: a topic that does not exist is named in one clear error")
  void missingTopicIsNamed() {
    assertThatThrownBy(() -> readAll(source().stopAt(StoppingOffsets.latest())))
        .isInstanceOf(MillraceException.class)
        .hasMessage(
            "Topic '"
                + topic
                + "' does not exist on Kafka at "
                + broker.servers()
                + ". Create it, or correct the name of the topic or the address of Kafka.");
  }

  @Test
  void offsetsThatAreGoneAreNamed() throws Exception {
    broker.createTopic(topic, 1);
    TopicPartition zero = new TopicPartition(topic, 0);
    KafkaSource<String> source =
        source().startAt(StartingOffsets.given(Map.of(zero, 100L), OffsetReset.FAIL));
    try (SourceDriver<String> driver = SourceDriver.start(source, 1)) {
      assertThatThrownBy(() -> driver.read(1))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining(
              "Kafka has no records at the offsets {"
                  + topic
                  + "-0=100}, where the source goes on");
    }
  }

  @Test
  void propertiesOfTheConnectorAreRefused() {
    assertThatThrownBy(() -> source().property("auto.offset.reset", "latest"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("'auto.offset.reset'")
        .hasMessageContaining("is set by the connector");
    assertThatThrownBy(() -> readAll(source().property("isolation.level", "read_some")))
        .hasMessageContaining("read_committed or read_uncommitted, not 'read_some'");
  }
}
