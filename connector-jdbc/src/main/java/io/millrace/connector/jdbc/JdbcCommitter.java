package io.millrace.connector.jdbc;

import io.millrace.api.sink.CommitFailedException;
import io.millrace.api.sink.Committer;
import java.sql.SQLException;
import java.util.List;
import javax.transaction.xa.XAException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commits prepared transactions. */
final class JdbcCommitter implements Committer<PreparedTransaction> {
  private static final Logger LOG = LoggerFactory.getLogger(JdbcCommitter.class);

  private final JdbcDatabase database;

  /** Null for that of the dialect. */
  private final XaDataSourceSupplier dataSource;

  /** Null if there is none. */
  private XaSession session;

  JdbcCommitter(JdbcDatabase database, XaDataSourceSupplier dataSource) {
    this.database = database;
    this.dataSource = dataSource;
  }

  @Override
  public void commit(List<PreparedTransaction> transactions) throws InterruptedException {
    if (session == null) {
      session = XaSession.open(database, dataSource);
    }
    for (PreparedTransaction transaction : transactions) {
      try {
        session.commit(transaction.xid());
      } catch (XAException e) {
        notCommitted(transaction, e);
      }
    }
  }

  private void notCommitted(PreparedTransaction transaction, XAException thrown) {
    switch (thrown.errorCode) {
      case XAException.XAER_NOTA -> notPrepared(transaction);
      case XAException.XA_HEURCOM -> forget(transaction);
      case XAException.XA_HEURRB, XAException.XA_HEURMIX -> throw lost(transaction, thrown);
      default -> {
        close();
        throw XaErrors.failed("Committing transaction " + transaction.xid(), database, thrown);
      }
    }
  }

  /** An earlier attempt has committed it, unless somebody else has rolled it back. */
  private void notPrepared(PreparedTransaction transaction) {
    try {
      if (session.outcome(transaction.databaseId()) == XaSession.Outcome.ROLLED_BACK) {
        throw lost(transaction, null);
      }
    } catch (SQLException e) {
      close();
      throw SqlErrors.failed(
          "Asking for the outcome of transaction " + transaction.xid(), database, e);
    }
    LOG.info("Transaction {} was committed before at {}", transaction.xid(), database);
  }

  private void forget(PreparedTransaction transaction) {
    try {
      session.forget(transaction.xid());
    } catch (XAException e) {
      LOG.warn(
          "Transaction {} is committed, but {} still remembers it: error {}",
          transaction.xid(),
          database,
          e.errorCode);
    }
  }

  private CommitFailedException lost(PreparedTransaction transaction, XAException thrown) {
    return new CommitFailedException(
        "Transaction "
            + transaction.xid()
            + " of a complete checkpoint was rolled back at "
            + database
            + " by somebody else, so that its records are lost. Another job with the name '"
            + transaction.prefix()
            + "' does that, and an administrator may. Start the job from an earlier checkpoint or"
            + " savepoint.",
        thrown);
  }

  @Override
  public void close() {
    if (session != null) {
      session.close();
      session = null;
    }
  }
}
