package io.millrace.connector.jdbc;

import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.StatefulSinkWriter;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.transaction.xa.XAException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the records between two checkpoints in one transaction and prepares it. An error fails the
 * task, because the database has undone what the transaction had written before.
 */
final class JdbcTransactionWriter<T>
    implements StatefulSinkWriter<T, TransactionNumber>,
        CommittingSinkWriter<T, PreparedTransaction> {
  private static final Logger LOG = LoggerFactory.getLogger(JdbcTransactionWriter.class);

  private final XaTable<T> table;
  private final SinkContext context;
  private final TableStatements statements;
  private final String run = UUID.randomUUID().toString().replace("-", "").substring(0, 12);
  private final RowBatch batch = new RowBatch();
  private final XaSession session;
  private long next;

  /** The transaction that is open; null if none. */
  private TransactionXid current;

  private JdbcTransactionWriter(XaTable<T> table, SinkContext context, XaSession session) {
    this.table = table;
    this.context = context;
    this.session = session;
    this.statements = new TableStatements(table.database(), table.table());
  }

  /** Checks the database, and rolls back transactions that no checkpoint contains. */
  static <T> JdbcTransactionWriter<T> open(
      XaTable<T> table, SinkContext context, List<TransactionNumber> state)
      throws InterruptedException {
    XaSession session = table.connect();
    try {
      JdbcTransactionWriter<T> writer = new JdbcTransactionWriter<>(table, context, session);
      writer.checkLimit();
      writer.rollBackLingering(state);
      return writer;
    } catch (Throwable thrown) {
      session.close();
      throw thrown;
    }
  }

  private void checkLimit() {
    try {
      Optional<Integer> limit = session.maxPrepared();
      if (limit.isPresent() && limit.get() < context.parallelism()) {
        throw new MillraceException(
            ErrorKind.USER,
            "Sink '"
                + table.sink()
                + "' needs "
                + 2 * context.parallelism()
                + " prepared transactions at "
                + table.database()
                + ", two for each of its "
                + context.parallelism()
                + " parallel instances; max_prepared_transactions is "
                + limit.get()
                + ". Raise it in postgresql.conf and restart the server, or use JdbcSink with a"
                + " key.");
      }
    } catch (SQLException e) {
      throw SqlErrors.failed("Reading max_prepared_transactions", table.database(), e);
    }
  }

  /**
   * A transaction belongs to the writer with the number of the one that began it, so that no two
   * writers roll back the same one, and none that another writer has just prepared.
   */
  private void rollBackLingering(List<TransactionNumber> state) {
    try {
      for (TransactionXid xid : session.prepared(table.sink())) {
        if (xid.subtask() % context.parallelism() == context.subtask()
            && state.stream().noneMatch(number -> number.contains(xid))) {
          session.rollback(xid);
          LOG.info("Rolled back transaction {} of an earlier attempt at {}", xid, table.database());
        }
      }
    } catch (XAException e) {
      throw XaErrors.failed(
          "Rolling back transactions of earlier attempts of sink '" + table.sink() + "'",
          table.database(),
          e);
    }
  }

  @Override
  public void write(T record) throws Exception {
    batch.add(table.table().change(record));
    if (batch.size() >= table.batchSize()) {
      send();
    }
  }

  @Override
  public void flush(boolean endOfInput) {
    send();
  }

  private void send() {
    if (batch.isEmpty()) {
      return;
    }
    if (current == null) {
      begin();
    }
    try {
      statements.execute(session.connection(), batch);
      batch.clear();
    } catch (SQLException e) {
      throw refused(e);
    }
  }

  private void begin() {
    TransactionXid xid = new TransactionXid(table.sink(), context.subtask(), run, next);
    try {
      session.start(xid);
      next++;
      current = xid;
    } catch (XAException e) {
      throw XaErrors.failed("Starting transaction " + xid, table.database(), e);
    }
  }

  /** The search for the row needs a transaction of its own, which is rolled back. */
  private RuntimeException refused(SQLException thrown) {
    if (SqlErrors.isTransient(thrown)) {
      return SqlErrors.failed(statements.what(batch), table.database(), thrown);
    }
    try (Connection connection = table.database().connect()) {
      abandon();
      return statements.refused(connection, batch, thrown);
    } catch (SQLException e) {
      return SqlErrors.failed(statements.what(batch), table.database(), thrown);
    }
  }

  @Override
  public List<PreparedTransaction> prepareCommit() {
    if (current == null) {
      return List.of();
    }
    TransactionXid xid = current;
    try {
      String databaseId = session.databaseId();
      boolean hasChanges = session.prepare(xid);
      current = null;
      return hasChanges
          ? List.of(
              new PreparedTransaction(
                  xid.prefix(), xid.subtask(), xid.run(), xid.number(), databaseId))
          : List.of();
    } catch (SQLException e) {
      throw SqlErrors.failed("Preparing transaction " + xid, table.database(), e);
    } catch (XAException e) {
      throw XaErrors.failed("Preparing transaction " + xid, table.database(), e);
    }
  }

  @Override
  public List<TransactionNumber> snapshot(long checkpoint) {
    return List.of(new TransactionNumber(context.subtask(), run, next));
  }

  private void abandon() {
    if (current != null) {
      try {
        session.abandon(current);
      } catch (XAException e) {
        // The end of the connection has the same effect.
        LOG.debug("Transaction {} was not rolled back: {}", current, e.errorCode);
      }
      current = null;
    }
  }

  @Override
  public void close() {
    abandon();
    session.close();
  }
}
