package io.millrace.connector.kafka;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * The producers of one instance of a sink, one per transactional id. An id is in one of these
 * states:
 *
 * <pre>
 * free      → written    a record is written
 * written   → prepared   a checkpoint begins
 * prepared  → committed  the checkpoint is complete and the transaction is committed
 * committed → free       the next checkpoint is complete
 * </pre>
 *
 * <p>A committed id waits because a failure before the next checkpoint commits the same transaction
 * again: only if no later one has used the id, Kafka still knows how the transaction ended. Belongs
 * to the task.
 */
final class TransactionalProducers {
  private static final Duration ABORT_TIMEOUT = Duration.ofSeconds(5);

  private final KafkaConnection connection;
  private final String prefix;
  private final int subtask;
  private final TransactionLog log;

  /** By number, the clients of ids in any state. */
  private final Map<Integer, RecordProducer> producers = new HashMap<>();

  /** The number of the id that is written; -1 if none. */
  private int written = -1;

  private final Set<Integer> prepared = new HashSet<>();
  private Set<Integer> committed = new HashSet<>();

  /** Those of the commit that runs or is repeated. */
  private final Set<Integer> justCommitted = new HashSet<>();

  TransactionalProducers(
      KafkaConnection connection, String prefix, int subtask, TransactionLog log) {
    this.connection = connection;
    this.prefix = prefix;
    this.subtask = subtask;
    this.log = log;
  }

  /** Leaves out the ids of transactions that the restored checkpoint contains. */
  void reserve(Collection<TransactionalId> restored) {
    restored.stream()
        .filter(id -> id.subtask() == subtask)
        .forEach(id -> committed.add(id.number()));
  }

  private String name(int number) {
    return new TransactionalId(subtask, number).name(prefix);
  }

  /** The producer of the open transaction, which begins where there is none. */
  RecordProducer writing() throws InterruptedException {
    if (written >= 0) {
      return producers.get(written);
    }
    int number = 0;
    while (prepared.contains(number) || committed.contains(number)) {
      number++;
    }
    RecordProducer producer = producers.get(number);
    if (producer == null) {
      producer = open(number);
      producers.put(number, producer);
    }
    producer.client().beginTransaction();
    written = number;
    return producer;
  }

  private RecordProducer open(int number) {
    RecordProducer producer =
        new RecordProducer(
            connection, Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, name(number)));
    try {
      producer.client().initTransactions();
      return producer;
    } catch (KafkaException e) {
      producer.close(Duration.ZERO);
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Transactions of '"
              + name(number)
              + "' cannot begin on Kafka at "
              + connection.servers()
              + ": "
              + Failure.sentence(e),
          e);
    }
  }

  void flush() {
    if (written >= 0) {
      producers.get(written).flush();
    }
  }

  /** Ends writing; the transaction, if there is one, waits for its commit. */
  List<KafkaTransaction> prepare() throws InterruptedException {
    if (written < 0) {
      return List.of();
    }
    KafkaTransaction transaction = log.open(name(written));
    prepared.add(written);
    written = -1;
    return List.of(transaction);
  }

  List<TransactionalId> prepared() {
    return prepared.stream().sorted().map(each -> new TransactionalId(subtask, each)).toList();
  }

  /** Commits transactions of complete checkpoints, of this process or of an earlier one. */
  void commit(List<KafkaTransaction> transactions) throws Exception {
    for (KafkaTransaction transaction : transactions) {
      TransactionalId id =
          TransactionalId.parse(prefix, transaction.transactionalId()).orElse(null);
      boolean own = id != null && id.subtask() == subtask;
      if (own && justCommitted.contains(id.number())) {
        continue;
      }
      if (own && prepared.contains(id.number())) {
        commitPrepared(transaction, id.number());
      } else {
        log.commit(transaction, true);
      }
      if (own) {
        prepared.remove(id.number());
        justCommitted.add(id.number());
      }
    }
    committed = new HashSet<>(justCommitted);
    justCommitted.clear();
  }

  private void commitPrepared(KafkaTransaction transaction, int number) throws Exception {
    RecordProducer producer = producers.get(number);
    if (producer != null) {
      try {
        producer.client().commitTransaction();
        if (!log.hasEpochPerTransaction()) {
          // The next transaction needs another epoch, which only a new producer gets.
          discard(number);
        }
        return;
      } catch (TimeoutException e) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "Transaction '"
                + transaction.transactionalId()
                + "' is not committed yet: Kafka at "
                + connection.servers()
                + " does not answer.",
            e);
      } catch (KafkaException e) {
        // The brokers know how it ended.
        discard(number);
      }
    }
    log.commit(transaction, false);
  }

  private void discard(int number) {
    producers.remove(number).close(Duration.ZERO);
  }

  /** Aborts the open transaction. Prepared ones stay as they are: they may be committed. */
  void close() {
    producers.forEach(
        (number, producer) ->
            // A client that is given time aborts its transaction.
            producer.close(number == written ? ABORT_TIMEOUT : Duration.ZERO));
    producers.clear();
  }
}
