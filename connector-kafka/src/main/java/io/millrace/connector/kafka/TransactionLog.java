package io.millrace.connector.kafka;

import io.millrace.api.sink.CommitFailedException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Kafka's brokers know of the transactions of a sink. Commits transactions whose producer is
 * gone, and aborts those that nobody will commit. Belongs to the task.
 */
final class TransactionLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionLog.class);
  private static final String TRANSACTION_VERSION = "transaction.version";
  private static final Duration RETRY = Duration.ofMillis(100);

  private final KafkaConnection connection;

  /** Whether a transaction is passed over of which the brokers do not know how it ended. */
  private final boolean passesOverUnknown;

  /** Null before the first call. */
  private Admin admin;

  /** Null before it is needed. */
  private Boolean epochPerTransaction;

  TransactionLog(KafkaConnection connection, boolean passesOverUnknown) {
    this.connection = connection;
    this.passesOverUnknown = passesOverUnknown;
  }

  private Admin admin() {
    if (admin == null) {
      admin = connection.admin();
    }
    return admin;
  }

  /** Whether each transaction of a producer has an epoch of its own. */
  boolean hasEpochPerTransaction() throws InterruptedException {
    if (epochPerTransaction == null) {
      FinalizedVersionRange version =
          connection
              .await(admin().describeFeatures().featureMetadata(), "The features of Kafka")
              .finalizedFeatures()
              .get(TRANSACTION_VERSION);
      epochPerTransaction = version != null && version.maxVersionLevel() >= 2;
    }
    return epochPerTransaction;
  }

  private Optional<TransactionDescription> describe(String id) throws InterruptedException {
    try {
      return Optional.of(
          connection.await(
              admin().describeTransactions(List.of(id)).description(id),
              "The state of transaction '" + id + "'"));
    } catch (TransactionalIdNotFoundException e) {
      return Optional.empty();
    }
  }

  /** The open transaction of a producer that has written records. */
  KafkaTransaction open(String id) throws InterruptedException {
    Optional<TransactionDescription> found = describe(id);
    if (found.isEmpty() || found.get().state() != TransactionState.ONGOING) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Transaction '"
              + id
              + "' is not open any more: its state is "
              + found.map(each -> each.state().toString()).orElse("unknown")
              + ". Kafka aborted it because it took longer than transaction.timeout.ms, or another"
              + " sink uses the same prefix of transactional ids.");
    }
    return new KafkaTransaction(id, found.get().producerId(), found.get().producerEpoch());
  }

  /** Fences the producers of these ids and aborts their transactions. */
  void fence(Collection<String> ids) throws InterruptedException {
    if (!ids.isEmpty()) {
      connection.await(
          admin().fenceProducers(ids).all(), "The end of " + ids.size() + " transactions");
    }
  }

  /** The ids of all transactions, also of ended ones, that an instance of a sink has to fence. */
  List<String> toFence(String prefix, int subtask, int parallelism, Set<TransactionalId> reserved)
      throws InterruptedException {
    return connection.await(admin().listTransactions().all(), "The list of transactions").stream()
        .map(TransactionListing::transactionalId)
        .filter(
            name ->
                TransactionalId.parse(prefix, name)
                    .filter(id -> id.subtask() % parallelism == subtask && !reserved.contains(id))
                    .isPresent())
        .sorted()
        .toList();
  }

  /**
   * Commits a transaction of a producer that is gone. Has no effect if it is committed.
   *
   * @param restored whether it comes from a checkpoint, so that it may have been committed before
   *     later transactions of its id
   */
  void commit(KafkaTransaction transaction, boolean restored) throws Exception {
    long deadline = System.nanoTime() + connection.apiTimeout().toNanos();
    Errors error = Errors.NONE;
    do {
      Optional<TransactionDescription> found = describe(transaction.transactionalId());
      if (found.isEmpty() || !isOf(found.get(), transaction)) {
        unknown(transaction, restored, found);
        return;
      }
      switch (found.get().state()) {
        case ONGOING -> {
          error = end(transaction, found.get().coordinatorId());
          if (error == Errors.NONE) {
            return;
          }
        }
        case PREPARE_COMMIT, COMPLETE_COMMIT -> {
          return;
        }
        case PREPARE_ABORT, COMPLETE_ABORT, PREPARE_EPOCH_FENCE -> throw aborted(transaction);
        case EMPTY -> {
          unknown(transaction, restored, found);
          return;
        }
        default ->
            throw new MillraceException(
                ErrorKind.EXTERNAL, "Kafka reports an unknown state: " + found.get());
      }
      Thread.sleep(RETRY.toMillis());
    } while (System.nanoTime() < deadline);
    throw new MillraceException(
        ErrorKind.EXTERNAL,
        "Transaction '"
            + transaction.transactionalId()
            + "' was not committed within "
            + connection.apiTimeout().toMillis()
            + " ms. The last answer of Kafka is "
            + error
            + ": "
            + error.message());
  }

  /** A transaction that has ended has the next epoch. */
  private static boolean isOf(TransactionDescription found, KafkaTransaction transaction) {
    return found.producerId() == transaction.producerId()
        && (found.producerEpoch() == transaction.epoch()
            || found.producerEpoch() == transaction.epoch() + 1);
  }

  private void unknown(
      KafkaTransaction transaction, boolean restored, Optional<TransactionDescription> found) {
    if (!restored) {
      throw aborted(transaction);
    }
    String what =
        "Transaction '"
            + transaction.transactionalId()
            + "' (producer "
            + transaction.producerId()
            + ", epoch "
            + transaction.epoch()
            + ") of the restored checkpoint is over, and Kafka does not know any more whether it was"
            + " committed"
            + found.map(each -> ": a later one has used its id").orElse("");
    if (passesOverUnknown) {
      LOG.warn("{}. It is passed over, as the sink says.", what);
      return;
    }
    throw new CommitFailedException(
        what
            + ". If the job was stopped after this checkpoint, it was committed: start the job with"
            + " a sink that passes over unknown transactions. Otherwise its records are lost; start"
            + " from a newer checkpoint.");
  }

  private static CommitFailedException aborted(KafkaTransaction transaction) {
    return new CommitFailedException(
        "Transaction '"
            + transaction.transactionalId()
            + "' of a completed checkpoint was aborted before it was committed; its records are"
            + " lost. Either it took longer than transaction.timeout.ms, or another sink uses the"
            + " same prefix of transactional ids. Start the job from an earlier checkpoint whose"
            + " transactions are not committed, or without state.");
  }

  private Errors end(KafkaTransaction transaction, int coordinator) throws Exception {
    Optional<Node> node =
        connection.await(admin().describeCluster().nodes(), "The brokers of Kafka").stream()
            .filter(each -> each.id() == coordinator)
            .findFirst();
    if (node.isEmpty()) {
      return Errors.COORDINATOR_NOT_AVAILABLE;
    }
    try (TransactionEndRequest request = new TransactionEndRequest(connection)) {
      return request.commit(transaction, node.get(), hasEpochPerTransaction());
    } catch (IOException e) {
      LOG.info("The coordinator of {} cannot be reached: {}", transaction, e.toString());
      return Errors.COORDINATOR_NOT_AVAILABLE;
    }
  }

  @Override
  public void close() {
    if (admin != null) {
      admin.close(Duration.ofSeconds(1));
    }
  }
}
