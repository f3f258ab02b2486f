package io.millrace.connector.kafka;

import io.millrace.api.sink.Committer;
import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.StatefulSink;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to topics of Apache Kafka exactly once; see {@link KafkaSink#exactlyOnce}.
 *
 * <p>When an instance starts, it fences the producers of earlier attempts and aborts the
 * transactions that they left, but for those that the restored checkpoint commits. An instance with
 * a higher number than there are now is looked after by one of those that are left.
 *
 * <pre>{@code
 * TransactionalKafkaSink<Order> sink =
 *     KafkaSink.to("host:9092", KafkaRecords.to("orders", JsonFormat.of(Order.class)))
 *         .property("transaction.timeout.ms", "600000")
 *         .exactlyOnce("billing");
 * orders.sinkTo(sink);
 * }</pre>
 *
 * @param <T> the records
 */
public final class TransactionalKafkaSink<T>
    implements StatefulSink<T, TransactionalId>, CommittingSink<T, KafkaTransaction> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(TransactionalKafkaSink.class);

  private final KafkaConnection connection;
  private final KafkaRecordSerializer<? super T> records;
  private final String prefix;
  private final boolean passesOverUnknown;

  /** What committer and writer of this instance share; a task has a copy of the sink of its own. */
  private transient TransactionLog log;

  private transient TransactionalProducers producers;

  TransactionalKafkaSink(
      KafkaConnection connection,
      KafkaRecordSerializer<? super T> records,
      String prefix,
      boolean passesOverUnknown) {
    if (prefix.isBlank()) {
      throw new MillraceException(
          ErrorKind.USER, "The prefix of transactional ids of a Kafka sink is empty.");
    }
    this.connection = connection;
    this.records = records;
    this.prefix = prefix;
    this.passesOverUnknown = passesOverUnknown;
  }

  /**
   * Goes on although Kafka does not know any more how a transaction of the restored checkpoint
   * ended. That is so if the job has run on after the checkpoint, or was stopped for longer than
   * {@code transactional.id.expiration.ms} of the brokers. By default the job fails then, because
   * records may be lost.
   */
  public TransactionalKafkaSink<T> passOverUnknownTransactions() {
    return new TransactionalKafkaSink<>(connection, records, prefix, true);
  }

  @Override
  public Redistribution redistribution() {
    return Redistribution.UNION;
  }

  @Override
  public Committer<KafkaTransaction> createCommitter(SinkContext context) {
    TransactionLog opened = new TransactionLog(connection, passesOverUnknown);
    TransactionalProducers created =
        new TransactionalProducers(connection, prefix, context.subtask(), opened);
    log = opened;
    producers = created;
    return new Committer<>() {
      @Override
      public void commit(List<KafkaTransaction> transactions) throws Exception {
        created.commit(transactions);
      }

      @Override
      public void close() {
        created.close();
        opened.close();
      }
    };
  }

  @Override
  public TransactionalKafkaWriter<T> createWriter(SinkContext context) throws InterruptedException {
    return restoreWriter(context, List.of());
  }

  @Override
  public TransactionalKafkaWriter<T> restoreWriter(SinkContext context, List<TransactionalId> state)
      throws InterruptedException {
    fence(context, new LinkedHashSet<>(state));
    TopicChecks.requireExisting(connection, records);
    producers.reserve(state);
    return new TransactionalKafkaWriter<>(producers, records);
  }

  private void fence(SinkContext context, Set<TransactionalId> reserved)
      throws InterruptedException {
    Collection<String> ids =
        log.toFence(prefix, context.subtask(), context.parallelism(), reserved);
    log.fence(ids);
    if (!ids.isEmpty()) {
      LOG.info("Fenced producers of earlier attempts: {}", ids);
    }
  }
}
