package io.millrace.connector.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.format.StringFormat;
import io.millrace.api.sink.CommitFailedException;
import io.millrace.api.sink.SinkWriter;
import io.millrace.connector.kafka.SinkInstance.Checkpoint;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Writers and committers of a sink on a real broker. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KafkaSinkTest {
  private static KafkaBroker broker;
  private final List<SinkInstance> instances = new ArrayList<>();
  private String topic;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.shared();
  }

  @BeforeEach
  void createTopic(TestInfo test) throws Exception {
    topic = test.getTestMethod().orElseThrow().getName();
    broker.createTopic(topic, 2);
  }

  @AfterEach
  void closeInstances() throws Exception {
    for (SinkInstance each : instances) {
      each.close();
    }
  }

  private KafkaSink<String> sink() {
    return KafkaSink.to(broker.servers(), topic, new StringFormat());
  }

  private TransactionalKafkaSink<String> exactlyOnce() {
    return sink().exactlyOnce(topic);
  }

  private SinkInstance start(int subtask, int parallelism) throws Exception {
    return kept(SinkInstance.start(exactlyOnce(), subtask, parallelism));
  }

  private SinkInstance restore(Checkpoint checkpoint) throws Exception {
    return restore(exactlyOnce(), checkpoint);
  }

  private SinkInstance restore(TransactionalKafkaSink<String> sink, Checkpoint checkpoint)
      throws Exception {
    return kept(SinkInstance.restore(sink, 0, 1, checkpoint.writer(), checkpoint.committables()));
  }

  private SinkInstance kept(SinkInstance instance) {
    instances.add(instance);
    return instance;
  }

  /** Also ends only when no open transaction holds consumers back. */
  private List<String> visible() {
    return broker.committed(topic);
  }

  /** A commit returns before the broker has marked its end in each partition. */
  private void untilVisible(Consumer<ListAssert<String>> condition) {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> condition.accept(assertThat(visible())));
  }

  private List<String> written() {
    return broker.read(topic, IsolationLevel.READ_UNCOMMITTED).stream()
        .map(ConsumerRecord::value)
        .toList();
  }

  // --- at least once

  @Test
  void flushedRecordsAreThereWithKeyHeadersPartitionAndTimestamp() throws Exception {
    String other = topic + "-other";
    broker.createTopic(other, 3);
    KafkaSink<String> sink =
        KafkaSink.to(
            broker.servers(),
            KafkaRecords.toTopics(
                    (String value) -> value.startsWith("o") ? other : topic, new StringFormat())
                .key(value -> value.startsWith("no") ? null : "key of " + value, new StringFormat())
                .headers(value -> Map.of("length", new byte[] {(byte) value.length()}))
                .partitioner((value, partitions) -> partitions - 1)
                .timestamp(value -> 1000L + value.length()));
    try (SinkWriter<String> writer = sink.createWriter(null)) {
      for (String value : List.of("here", "other", "nokey")) {
        writer.write(value);
      }
      writer.flush(false);
      List<ConsumerRecord<String, String>> all = new ArrayList<>();
      all.addAll(broker.read(topic, IsolationLevel.READ_COMMITTED));
      all.addAll(broker.read(other, IsolationLevel.READ_COMMITTED));
      assertThat(all)
          .extracting(
              record ->
                  String.join(
                      " ",
                      record.topic().replace(topic, "t"),
                      String.valueOf(record.partition()),
                      record.key(),
                      record.value(),
                      String.valueOf(record.headers().lastHeader("length").value()[0]),
                      String.valueOf(record.timestamp())))
          .containsExactly(
              "t 1 key of here here 4 1004",
              "t 1 null nokey 5 1005",
              "t-other 2 key of other other 5 1005");
    }
  }

  @Test
  void partitionThatDoesNotExistIsRefused() throws Exception {
    KafkaSink<String> sink =
        KafkaSink.to(
            broker.servers(),
            KafkaRecords.to(topic, new StringFormat()).partitioner((value, partitions) -> 2));
    try (SinkWriter<String> writer = sink.createWriter(null)) {
      assertThatThrownBy(() -> writer.write("a"))
          .hasMessage(
              "The partitioner chose partition 2 of topic '"
                  + topic
                  + "', which has the partitions 0 to 1.");
    }
  }

  @Test
  void missingTopicIsNamedAtOnce() {
    KafkaSink<String> sink = KafkaSink.to(broker.servers(), "missing", new StringFormat());
    String message =
        "Topic 'missing' does not exist on Kafka at "
            + broker.servers()
            + ", which does not create topics by itself. Create it, or correct the name of the"
            + " topic or the address of Kafka.";
    assertThatThrownBy(() -> sink.createWriter(null))
        .isInstanceOf(MillraceException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> SinkInstance.start(sink.exactlyOnce(topic), 0, 1))
        .isInstanceOf(MillraceException.class)
        .hasMessage(message);
  }

  @Test
  void recordThatKafkaRefusesFailsTheNextFlushWithItsTopic() throws Exception {
    try (SinkWriter<String> writer =
        sink().property("max.request.size", "4000000").createWriter(null)) {
      writer.write("x".repeat(2_000_000));
      assertThatThrownBy(() -> writer.flush(false))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("could not be written to topic '" + topic + "'")
          .hasMessageContaining("RecordTooLargeException");
    }
  }

  // --- exactly once

  @Test
  @Behaviour("H4: records in Kafka transactions appear with the commit of their checkpoint")
  void recordsAppearWithTheCommitOfTheirCheckpoint() throws Exception {
    SinkInstance sink = start(0, 1);
    List<String> expected = new ArrayList<>();
    for (int each = 0; each < 4; each++) {
      int round = each;
      sink.write("a" + round, "b" + round).checkpoint();
      untilVisible(seen -> seen.containsExactlyInAnyOrderElementsOf(expected));
      // Records of the next checkpoint follow before the commit.
      sink.write("c" + round);
      sink.flush();
      sink.complete();
      expected.addAll(List.of("a" + round, "b" + round));
      assertThat(written()).contains("c" + round);
      untilVisible(seen -> seen.containsAll(expected).doesNotContain("c" + round));
      expected.add("c" + round);
      sink.checkpoint();
      sink.complete();
    }
    untilVisible(seen -> seen.containsExactlyInAnyOrderElementsOf(expected));
    // Ids are used again.
    assertThat(transactions()).hasSizeLessThanOrEqualTo(4);
  }

  private List<TransactionListing> transactions() throws Exception {
    try (Admin admin = broker.admin()) {
      return admin.listTransactions().all().get().stream()
          .filter(each -> each.transactionalId().startsWith(topic + "-"))
          .toList();
    }
  }

  @Test
  @Behaviour("H4: a transaction of a completed checkpoint is committed by the next attempt, once")
  void restoredInstanceCommitsWhatTheCheckpointContainsAndAbortsTheRest() throws Exception {
    SinkInstance failed = start(0, 1);
    Checkpoint checkpoint = failed.write("in").checkpoint();
    failed.write("after");
    failed.flush();

    SinkInstance next = restore(checkpoint);
    untilVisible(seen -> seen.containsExactly("in"));
    next.write("next").checkpoint();
    // Fails again before the checkpoint is complete: the same is committed again, without effect.
    SinkInstance last = restore(checkpoint);
    last.write("last").checkpoint();
    last.complete();
    untilVisible(seen -> seen.containsExactlyInAnyOrder("in", "last"));
    assertThat(written()).contains("after", "next");
  }

  @Test
  void transactionCommittedBeforeTheFailureIsNotCommittedAgain() throws Exception {
    SinkInstance failed = start(0, 1);
    Checkpoint checkpoint = failed.write("in").checkpoint();
    failed.complete();
    failed.write("after");
    failed.flush();
    restore(checkpoint).write("next").checkpoint();
    untilVisible(seen -> seen.containsExactly("in"));
  }

  @Test
  @Behaviour("H4: transactions of a failed attempt are aborted, also before the first checkpoint")
  void failureBeforeTheFirstCheckpointLeavesNoOpenTransaction() throws Exception {
    SinkInstance failed = start(1, 3);
    failed.write("lost");
    failed.flush();
    // With a lower parallelism, too.
    SinkInstance next = start(0, 1);
    next.write("kept").checkpoint();
    next.complete();
    untilVisible(seen -> seen.containsExactly("kept"));
    assertThat(transactions())
        .extracting(TransactionListing::state)
        .doesNotContain(TransactionState.ONGOING);
  }

  @Test
  @Behaviour("H4: Kafka transactions survive a change of the parallelism")
  void lowerParallelismCommitsAndAbortsForInstancesThatAreGone() throws Exception {
    SinkInstance[] failed = {start(0, 3), start(1, 3), start(2, 3)};
    Checkpoint[] checkpoints = new Checkpoint[3];
    for (int i = 0; i < 3; i++) {
      checkpoints[i] = failed[i].write("in" + i).checkpoint();
      failed[i].write("after" + i);
      failed[i].flush();
    }
    Checkpoint all = Checkpoint.all(checkpoints);
    // The engine divides committables; an instance may start before another one has committed.
    kept(SinkInstance.restore(exactlyOnce(), 1, 2, all.writer(), all.committables().subList(2, 3)));
    SinkInstance first =
        kept(
            SinkInstance.restore(
                exactlyOnce(), 0, 2, all.writer(), all.committables().subList(0, 2)));
    untilVisible(seen -> seen.containsExactlyInAnyOrder("in0", "in1", "in2"));
    first.write("next").checkpoint();
    first.complete();
    untilVisible(seen -> seen.containsExactlyInAnyOrder("in0", "in1", "in2", "next"));
    assertThat(transactions())
        .extracting(TransactionListing::state)
        .doesNotContain(TransactionState.ONGOING);
  }

  @Test
  @Behaviour("H4: an attempt that does not know of its end cannot write to Kafka any more")
  void formerAttemptIsFenced() throws Exception {
    SinkInstance former = start(0, 1);
    former.write("before");
    former.flush();
    SinkInstance next = start(0, 1);
    assertThatThrownBy(
            () -> {
              former.write("late");
              former.flush();
            })
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("could not be written to topic '" + topic + "'");
    next.write("next").checkpoint();
    next.complete();
    untilVisible(seen -> seen.containsExactly("next"));
  }

  @Test
  @Behaviour(
      "H4: a transaction that Kafka aborted before its commit fails the job instead of losing records")
  void abortedTransactionOfACheckpointIsReported() throws Exception {
    TransactionalKafkaSink<String> hasty =
        sink().property("transaction.timeout.ms", "500").exactlyOnce(topic);
    SinkInstance failed = kept(SinkInstance.start(hasty, 0, 1));
    Checkpoint checkpoint = failed.write("in").checkpoint();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                transactions().stream()
                    .anyMatch(each -> each.state() == TransactionState.COMPLETE_ABORT));
    String message = "Transaction '" + topic + "-0-0' of a completed checkpoint was aborted";
    assertThatThrownBy(failed::complete)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining(message);
    assertThatThrownBy(() -> restore(checkpoint))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining(message);
  }

  @Test
  void olderCheckpointNeedsTheConsentOfTheProgram() throws Exception {
    SinkInstance sink = start(0, 1);
    Checkpoint old = sink.write("old").checkpoint();
    sink.complete();
    for (int i = 0; i < 4; i++) {
      sink.write("newer").checkpoint();
      sink.complete();
    }
    assertThatThrownBy(() -> restore(old))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("a later one has used its id")
        .hasMessageContaining("passes over unknown transactions");
    SinkInstance again = restore(exactlyOnce().passOverUnknownTransactions(), old);
    again.write("again").checkpoint();
    again.complete();
    untilVisible(seen -> seen.contains("old", "again"));
  }

  @Test
  void idsOfOtherPrefixesAreNotOurs() {
    assertThat(TransactionalId.parse("a.b", "a.b-1-2")).contains(new TransactionalId(1, 2));
    for (String other : List.of("a.b-1", "axb-1-2", "a.b-1-2-3", "a.b-x-2", "a.b-1-2222222222")) {
      assertThat(TransactionalId.parse("a.b", other)).as(other).isEmpty();
    }
    assertThat(new TransactionalId(1, 2).name("a")).isEqualTo("a-1-2");
  }
}
