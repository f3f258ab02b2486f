package io.millrace.connector.jdbc;

import io.millrace.api.sink.Committer;
import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.StatefulSink;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Writes each record to a table exactly once, in two-phase commits. A transaction has the records
 * between two checkpoints. It is prepared at the second one, so that the database keeps it, and
 * committed when that checkpoint is complete. Rows appear then, and locks are held until then.
 *
 * <p>Needs periodic checkpoints, and a database whose prepared transactions survive the connection
 * that made them: PostgreSQL with {@code max_prepared_transactions} of at least two per parallel
 * instance; for others see {@link #dataSource}.
 *
 * <p>When the job starts or restarts, it rolls back prepared transactions of the sink that no
 * checkpoint contains. They are known by the sink's name, so that two jobs that run at the same
 * time must not use one name in one database.
 *
 * <pre>{@code
 * JdbcDatabase shop = JdbcDatabase.at("jdbc:postgresql://host/shop").user("billing");
 * JdbcTable<Payment> table =
 *     JdbcTable.named("payments", Payment.class)
 *         .column("customer", Payment::customer)
 *         .column("cents", Payment::cents);
 * payments.sinkTo(JdbcTransactionSink.to(shop, table, "billing"));
 * }</pre>
 *
 * @param <T> the records
 */
public final class JdbcTransactionSink<T>
    implements StatefulSink<T, TransactionNumber>, CommittingSink<T, PreparedTransaction> {
  private static final long serialVersionUID = 1L;

  /** A name of a transaction has at most 64 bytes. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,24}");

  /** What does not change. */
  private final JdbcDatabase database;

  private final JdbcTable<T> table;
  private final String name;
  private final int batchSize;

  /** Null for that of the dialect. */
  private final XaDataSourceSupplier dataSource;

  private JdbcTransactionSink(
      JdbcDatabase database,
      JdbcTable<T> table,
      String name,
      int batchSize,
      XaDataSourceSupplier dataSource) {
    this.database = database;
    this.table = table;
    this.name = name;
    this.batchSize = batchSize;
    this.dataSource = dataSource;
  }

  /**
   * Upserts to a table with a key, inserts to one without.
   *
   * @param name the name of the sink in the database. It stays the same when the job is started
   *     again, and no other sink has it.
   */
  public static <T> JdbcTransactionSink<T> to(
      JdbcDatabase database, JdbcTable<T> table, String name) {
    if (name == null || !NAME.matcher(name).matches()) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + name
              + "' cannot be the name of a sink. It has 1 to 24 letters, digits, dots, hyphens and"
              + " underscores.");
    }
    table.checked().writeStatement(database);
    return new JdbcTransactionSink<>(
        Objects.requireNonNull(database), table, name, JdbcSink.DEFAULT_BATCH_SIZE, null);
  }

  /** How many rows are sent at once. The default is 1,000. */
  public JdbcTransactionSink<T> batchSize(int rows) {
    return new JdbcTransactionSink<>(
        database, table, name, JdbcSink.checkedBatchSize(rows), dataSource);
  }

  /**
   * The data source for databases other than PostgreSQL. It must be one whose prepared transactions
   * survive the end of their connection, and can be committed by another one.
   */
  public JdbcTransactionSink<T> dataSource(XaDataSourceSupplier supplier) {
    return new JdbcTransactionSink<>(
        database, table, name, batchSize, Objects.requireNonNull(supplier, "supplier"));
  }

  @Override
  public JdbcTransactionWriter<T> createWriter(SinkContext context) throws Exception {
    return writer(context, List.of());
  }

  @Override
  public JdbcTransactionWriter<T> restoreWriter(SinkContext context, List<TransactionNumber> state)
      throws Exception {
    return writer(context, state);
  }

  /** A writer must know which transactions of other writers belong to the checkpoint. */
  @Override
  public Redistribution redistribution() {
    return Redistribution.UNION;
  }

  private JdbcTransactionWriter<T> writer(SinkContext context, List<TransactionNumber> state)
      throws Exception {
    if (!context.isCheckpointing()) {
      throw new MillraceException(
          ErrorKind.USER,
          "JdbcTransactionSink '"
              + name
              + "' needs periodic checkpoints (execution.checkpointing.interval): without them a"
              + " restarted job would write records twice. Enable them, or use JdbcSink with a"
              + " key.");
    }
    return JdbcTransactionWriter.open(
        new XaTable<>(database, table, name, dataSource, batchSize), context, state);
  }

  @Override
  public Committer<PreparedTransaction> createCommitter(SinkContext context) {
    XaSession.checkDataSource(database, dataSource);
    return new JdbcCommitter(database, dataSource);
  }
}
