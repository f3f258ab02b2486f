package io.millrace.connector.jdbc;

import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats what failed with an error that may pass, a few times and with growing pauses. */
final class SqlRetry {
  private static final Logger LOG = LoggerFactory.getLogger(SqlRetry.class);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final int MOST_DOUBLINGS = 6;

  private final JdbcDatabase database;
  private int failures;

  SqlRetry(JdbcDatabase database) {
    this.database = database;
  }

  /** Something that can be repeated as a whole. */
  interface SqlCall<R> {
    R call() throws SQLException, InterruptedException;
  }

  /**
   * @param what for messages, as in {@code Reading the range of 'id'}
   */
  static <R> R call(JdbcDatabase database, String what, SqlCall<R> call)
      throws InterruptedException {
    SqlRetry retry = new SqlRetry(database);
    while (true) {
      try {
        return call.call();
      } catch (SQLException e) {
        retry.failed(what, e);
      }
    }
  }

  /** Waits before the next try; throws if there is none. */
  void failed(String what, SQLException thrown) throws InterruptedException {
    if (failures == database.retries() || !SqlErrors.isTransient(thrown)) {
      throw SqlErrors.failed(what + attempts(), database, thrown);
    }
    long pause = FIRST_PAUSE_MILLIS << Math.min(failures, MOST_DOUBLINGS);
    failures++;
    LOG.warn(
        "{} failed at {} and is tried again in {} ms ({} of {}): {}",
        what,
        database,
        pause,
        failures,
        database.retries(),
        SqlErrors.sentence(thrown, database.secrets()));
    Thread.sleep(pause);
  }

  private String attempts() {
    return failures == 0 ? "" : " and " + failures + " repetitions of it";
  }

  /** What failed before has succeeded. */
  void succeeded() {
    failures = 0;
  }
}
