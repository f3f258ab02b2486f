package io.millrace.connector.jdbc;

import io.millrace.api.source.SourceContext;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Reads splits in a thread of its own, because polls must not block, and queues their records. The
 * queue is bounded: a job that does not keep up holds the query back.
 */
final class JdbcFetcher<T> implements AutoCloseable {
  private static final int BATCH_ROWS = 256;
  private static final int QUEUED_BATCHES = 8;
  private static final int FETCHED_ROWS = 1000;

  /**
   * Records of a split.
   *
   * @param positions that of the split behind each record
   * @param isEnd whether the split has no further records
   */
  record Batch<T>(List<T> records, List<JdbcSplit> positions, boolean isEnd) {}

  private final JdbcDatabase database;
  private final JdbcQuery query;
  private final RowMapper<T> mapper;
  private final SourceContext context;
  private final BlockingQueue<JdbcSplit> splits = new LinkedBlockingQueue<>();
  private final BlockingQueue<Batch<T>> batches = new ArrayBlockingQueue<>(QUEUED_BATCHES);

  /** Null before the first split. */
  private Thread thread;

  private volatile Connection connection;
  private volatile Throwable failure;
  private volatile boolean closed;

  JdbcFetcher(JdbcDatabase database, JdbcQuery query, RowMapper<T> mapper, SourceContext context) {
    this.database = database;
    this.query = query;
    this.mapper = mapper;
    this.context = context;
  }

  void add(List<JdbcSplit> added) {
    splits.addAll(added);
    if (thread == null && !added.isEmpty()) {
      thread = new Thread(this::run, "jdbc-source-" + context.subtask());
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** The next records, null if there are none yet. Throws what ended the thread. */
  Batch<T> poll() {
    // Read before the queue: what was queued before the failure is emitted before it is thrown.
    Throwable thrown = failure;
    Batch<T> next = batches.poll();
    if (next == null && thrown != null) {
      if (thrown instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      if (thrown instanceof Error error) {
        throw error;
      }
      throw new MillraceException(ErrorKind.BUG, "The thread of a source failed", thrown);
    }
    return next;
  }

  private void run() {
    try {
      while (!closed) {
        read(splits.take());
      }
    } catch (InterruptedException e) {
      // Only close() interrupts this thread.
      Thread.currentThread().interrupt();
    } catch (Throwable thrown) {
      if (!closed) {
        failure = thrown;
      }
    } finally {
      disconnect();
      context.wake();
    }
  }

  /** Reads one split, after a lost connection from the last row on that was queued. */
  private void read(JdbcSplit split) throws InterruptedException {
    JdbcSplit position = split;
    SqlRetry retry = new SqlRetry(database);
    while (true) {
      PositionedBatches output = new PositionedBatches(position);
      try {
        readFrom(position, output);
        return;
      } catch (SQLException e) {
        disconnect();
        if (closed) {
          throw new InterruptedException("closed");
        }
        if (!output.position.equals(position)) {
          retry.succeeded();
          position = output.position;
        }
        retry.failed("Reading " + describe(position), e);
      }
    }
  }

  private String describe(JdbcSplit split) {
    return "the rows with "
        + query.key()
        + " from "
        + split.type().render(split.position())
        + (split.last() ? " to " : " to before ")
        + split.type().render(split.to())
        + " with the statement '"
        + query.rows(split)
        + "'";
  }

  private void readFrom(JdbcSplit split, PositionedBatches output)
      throws SQLException, InterruptedException {
    int fetchSize =
        database.findDialect().map(dialect -> dialect.fetchSize(FETCHED_ROWS)).orElse(FETCHED_ROWS);
    try (PreparedStatement statement = query.prepare(connection(), split, fetchSize);
        ResultSet rows = statement.executeQuery()) {
      int keyColumn = rows.getMetaData().getColumnCount();
      long skipped = 0;
      while (rows.next()) {
        KeyValue key = split.type().read(rows, keyColumn);
        if (skipped < split.read() && key.equals(split.position())) {
          skipped++;
        } else {
          output.add(map(rows, split, key), key);
        }
      }
    }
    // Ends the transaction, so that the database need not keep old rows for it.
    connection().commit();
    output.end();
  }

  private T map(ResultSet row, JdbcSplit split, KeyValue key) throws SQLException {
    T record;
    try {
      record = mapper.map(row);
    } catch (RuntimeException e) {
      throw new MillraceException(
          ErrorKind.USER, "The row with " + named(split, key) + " cannot be mapped: " + e, e);
    }
    if (record == null) {
      throw new MillraceException(
          ErrorKind.USER,
          "The row with "
              + named(split, key)
              + " was mapped to null. Leave such rows out in the query, or filter records.");
    }
    return record;
  }

  private String named(JdbcSplit split, KeyValue key) {
    return query.key() + " = " + split.type().render(key);
  }

  private Connection connection() throws SQLException {
    if (connection == null) {
      Connection opened = database.connect();
      connection = opened;
      if (closed) {
        throw new SQLException("closed");
      }
      opened.setReadOnly(true);
    }
    return connection;
  }

  private void disconnect() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      SqlErrors.close(open);
    }
  }

  /** Breaks off what the thread waits for. */
  @Override
  public void close() {
    closed = true;
    Connection open = connection;
    if (thread != null) {
      thread.interrupt();
    }
    if (open != null) {
      try {
        open.abort(Runnable::run);
      } catch (SQLException e) {
        SqlErrors.close(open);
      }
    }
  }

  /** Collects the records of a split and queues them. */
  private final class PositionedBatches {
    /** Behind the last record that was queued. */
    private JdbcSplit position;

    private JdbcSplit last;
    private List<T> records = new ArrayList<>(BATCH_ROWS);
    private List<JdbcSplit> positions = new ArrayList<>(BATCH_ROWS);

    PositionedBatches(JdbcSplit start) {
      position = start;
      last = start;
    }

    void add(T record, KeyValue key) throws InterruptedException {
      last = last.behind(key);
      records.add(record);
      positions.add(last);
      if (records.size() == BATCH_ROWS) {
        queue(false);
      }
    }

    void end() throws InterruptedException {
      queue(true);
    }

    private void queue(boolean isEnd) throws InterruptedException {
      batches.put(new Batch<>(records, positions, isEnd));
      position = last;
      records = new ArrayList<>(BATCH_ROWS);
      positions = new ArrayList<>(BATCH_ROWS);
      context.wake();
    }
  }
}
