package io.millrace.connector.jdbc;

import io.millrace.api.sink.SinkWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes batches, each in a transaction. The task and a thread that writes batches that have waited
 * for long share it under a lock.
 */
final class JdbcWriter<T> implements SinkWriter<T> {
  /** When a batch is written. */
  record Batching(int size, Duration interval) {}

  private final JdbcDatabase database;
  private final JdbcTable<T> table;
  private final TableStatements statements;
  private final Batching batching;
  private final RowBatch batch = new RowBatch();
  private final ReentrantLock lock = new ReentrantLock();

  /** Null if batches do not wait. */
  private final ScheduledExecutorService timer;

  /** Writes the current batch; null if it is empty or batches do not wait. */
  private Future<?> waiting;

  /** Null if there is none. */
  private Connection connection;

  /** What failed in the thread of the timer; null if nothing. */
  private RuntimeException failure;

  private JdbcWriter(JdbcDatabase database, JdbcTable<T> table, Batching batching) {
    this.database = database;
    this.table = table;
    this.statements = new TableStatements(database, table);
    this.batching = batching;
    this.timer =
        batching.interval().isZero()
            ? null
            : Executors.newSingleThreadScheduledExecutor(
                task -> {
                  Thread thread = new Thread(task, "jdbc-sink-" + table.name());
                  thread.setDaemon(true);
                  return thread;
                });
  }

  /** Connects, so that a wrong address or password is noticed before the first record. */
  static <T> JdbcWriter<T> open(JdbcDatabase database, JdbcTable<T> table, Batching batching)
      throws InterruptedException {
    JdbcWriter<T> writer = new JdbcWriter<>(database, table, batching);
    try {
      SqlRetry.call(database, "Connecting", writer::connection);
      return writer;
    } catch (Throwable thrown) {
      writer.close();
      throw thrown;
    }
  }

  @Override
  public void write(T record) throws Exception {
    RowChange change = table.change(record);
    lock.lockInterruptibly();
    try {
      throwFailure();
      batch.add(change);
      if (batch.size() >= batching.size()) {
        writeBatch();
      } else if (waiting == null && timer != null) {
        waiting =
            timer.schedule(
                this::writeWaiting, batching.interval().toMillis(), TimeUnit.MILLISECONDS);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void flush(boolean endOfInput) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      throwFailure();
      writeBatch();
    } finally {
      lock.unlock();
    }
  }

  private void throwFailure() {
    if (failure != null) {
      throw failure;
    }
  }

  private void writeWaiting() {
    lock.lock();
    try {
      if (failure == null) {
        writeBatch();
      }
    } catch (RuntimeException e) {
      failure = e;
    } catch (InterruptedException e) {
      // The writer is closed.
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void writeBatch() throws InterruptedException {
    if (waiting != null) {
      waiting.cancel(false);
      waiting = null;
    }
    if (batch.isEmpty()) {
      return;
    }
    SqlRetry retry = new SqlRetry(database);
    while (true) {
      try {
        statements.execute(connection(), batch);
        connection().commit();
        batch.clear();
        return;
      } catch (SQLException e) {
        if (SqlErrors.isTransient(e)) {
          disconnect();
          retry.failed(statements.what(batch), e);
        } else {
          throw refused(e);
        }
      }
    }
  }

  private RuntimeException refused(SQLException thrown) {
    if (connection == null) {
      return SqlErrors.failed(statements.what(batch), database, thrown);
    }
    SqlErrors.rollback(connection);
    return statements.refused(connection, batch, thrown);
  }

  private Connection connection() throws SQLException {
    if (connection == null) {
      connection = database.connect();
    }
    return connection;
  }

  private void disconnect() {
    if (connection != null) {
      SqlErrors.close(connection);
      connection = null;
    }
  }

  @Override
  public void close() {
    if (timer != null) {
      timer.shutdownNow();
    }
    lock.lock();
    try {
      disconnect();
    } finally {
      lock.unlock();
    }
  }
}
