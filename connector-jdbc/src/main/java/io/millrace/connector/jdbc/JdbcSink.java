package io.millrace.connector.jdbc;

import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Objects;

/**
 * Writes records to a table, in batches. A batch is written when it is full, when its first record
 * has waited for the batch interval, before each checkpoint, and at the end of input. Each batch is
 * a transaction.
 *
 * <p>After a failure the records since the last checkpoint are written again. For a table with a
 * key the result is the same as without the failure, if the program computes the same records again
 * for a key, in the same order: the last change of each key counts. Meanwhile rows may show an
 * older value again. For a table without a key rows may be there twice; {@link JdbcTransactionSink}
 * inserts each once.
 *
 * <pre>{@code
 * JdbcDatabase shop = JdbcDatabase.at("jdbc:postgresql://host/shop").user("reports");
 * JdbcTable<Order> lastOrders =
 *     JdbcTable.named("last_orders", Order.class)
 *         .key("customer", Order::customer)
 *         .column("cents", Order::cents);
 * orders.sinkTo(JdbcSink.to(shop, lastOrders).batchSize(500));
 * }</pre>
 *
 * @param <T> the records
 */
public final class JdbcSink<T> implements Sink<T> {
  static final int DEFAULT_BATCH_SIZE = 1000;
  private static final int LARGEST_BATCH = 1_000_000;
  private static final long serialVersionUID = 1L;

  private final JdbcDatabase database;
  private final JdbcTable<T> table;
  private final int batchSize;
  private final Duration batchInterval;

  private JdbcSink(
      JdbcDatabase database, JdbcTable<T> table, int batchSize, Duration batchInterval) {
    this.database = database;
    this.table = table;
    this.batchSize = batchSize;
    this.batchInterval = batchInterval;
  }

  /** Upserts to a table with a key, inserts to one without. */
  public static <T> JdbcSink<T> to(JdbcDatabase database, JdbcTable<T> table) {
    // A dialect that is missing is told where the program is written.
    table.checked().writeStatement(database);
    return new JdbcSink<>(
        Objects.requireNonNull(database), table, DEFAULT_BATCH_SIZE, Duration.ofSeconds(1));
  }

  /** How many rows a batch has. The default is 1,000. */
  public JdbcSink<T> batchSize(int rows) {
    return new JdbcSink<>(database, table, checkedBatchSize(rows), batchInterval);
  }

  /**
   * How long a record waits at most until its batch is written. The default is one second; with
   * zero it waits until the batch is full or the next checkpoint.
   */
  public JdbcSink<T> batchInterval(Duration interval) {
    if (interval.isNegative() || interval.toDays() > 365) {
      throw new MillraceException(
          ErrorKind.USER,
          "A batch cannot wait for " + interval + ". Name a time up to a year, or zero.");
    }
    return new JdbcSink<>(database, table, batchSize, interval);
  }

  static int checkedBatchSize(int rows) {
    if (rows < 1 || rows > LARGEST_BATCH) {
      throw new MillraceException(
          ErrorKind.USER, "A batch has 1 to " + LARGEST_BATCH + " rows, not " + rows + ".");
    }
    return rows;
  }

  @Override
  public SinkWriter<T> createWriter(SinkContext context) throws InterruptedException {
    return JdbcWriter.open(database, table, new JdbcWriter.Batching(batchSize, batchInterval));
  }
}
