package io.millrace.connector.jdbc;

import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The rows of a query. The range of a key column is divided into splits of equal width, which
 * parallel instances read side by side, each ordered by the key.
 *
 * <p>The position of a split in a checkpoint is the key of its last row, and the number of rows
 * with that key that were read. A restart goes on behind it: each row is read once, if the rows
 * that were read are neither changed nor deleted, and if the order of rows with the same key does
 * not change. Keys that are unique have no such rows; for others name further columns with {@link
 * #thenBy}.
 *
 * <p>Splits are read in transactions of their own, one after the other. Changes of the table while
 * it is read are seen or not. Rows whose keys are above the highest one at the start of the job are
 * not read.
 *
 * <pre>{@code
 * JdbcDatabase shop = JdbcDatabase.at("jdbc:postgresql://host/shop").user("reports");
 * JdbcSource<Order> source =
 *     JdbcSource.query(
 *         shop,
 *         "SELECT id, customer, time, cents FROM orders WHERE cents > 0",
 *         "id",
 *         row -> new Order(row.getString("customer"), row.getLong("time"), row.getLong("cents")));
 * env.fromSource(source, "orders").print();
 * }</pre>
 *
 * @param <T> the records
 */
public final class JdbcSource<T> implements EnumeratedSource<T, JdbcSplit, Integer> {
  private static final long serialVersionUID = 1L;

  private final JdbcDatabase database;
  private final JdbcQuery query;
  private final RowMapper<T> mapper;

  /** 0 for the default. */
  private final int splits;

  private JdbcSource(JdbcDatabase database, JdbcQuery query, RowMapper<T> mapper, int splits) {
    this.database = database;
    this.query = query;
    this.mapper = mapper;
    this.splits = splits;
  }

  /**
   * The rows of a query.
   *
   * @param query a SELECT without a semicolon; it becomes a part of other queries
   * @param key a column of the result with whole numbers, dates or timestamps, best one with an
   *     index, and never NULL
   * @param mapper makes a record of each row
   */
  public static <T> JdbcSource<T> query(
      JdbcDatabase database, String query, String key, RowMapper<T> mapper) {
    if (query == null || query.isBlank() || query.strip().endsWith(";")) {
      throw new MillraceException(
          ErrorKind.USER, "A source needs a SELECT without a semicolon; this is '" + query + "'.");
    }
    return new JdbcSource<>(
        Objects.requireNonNull(database, "database"),
        new JdbcQuery(query.strip(), SqlText.column(key), new ArrayList<>()),
        Objects.requireNonNull(mapper, "mapper"),
        0);
  }

  /** All rows of a table. */
  public static <T> JdbcSource<T> table(
      JdbcDatabase database, String table, String key, RowMapper<T> mapper) {
    return query(database, "SELECT * FROM " + SqlText.table(table), key, mapper);
  }

  /**
   * Orders rows with the same key by these columns, so that a restart finds them in the same order.
   */
  public JdbcSource<T> thenBy(String... columns) {
    ArrayList<String> order = new ArrayList<>(query.order());
    for (String column : columns) {
      order.add(SqlText.column(column));
    }
    return new JdbcSource<>(
        database, new JdbcQuery(query.sql(), query.key(), order), mapper, splits);
  }

  /** The number of splits. The default is four for each parallel instance. */
  public JdbcSource<T> splits(int number) {
    if (number < 1 || number > JdbcEnumerator.MOST_SPLITS) {
      throw new MillraceException(
          ErrorKind.USER,
          "A source has 1 to " + JdbcEnumerator.MOST_SPLITS + " splits, not " + number + ".");
    }
    return new JdbcSource<>(database, query, mapper, number);
  }

  @Override
  public boolean isBounded() {
    return true;
  }

  @Override
  public SplitEnumerator<JdbcSplit, Integer> createEnumerator(EnumeratorContext context) {
    return new JdbcEnumerator(database, query, splits, context.readers());
  }

  /** All splits are found at once, so that there is no state. */
  @Override
  public SplitEnumerator<JdbcSplit, Integer> restoreEnumerator(
      EnumeratorContext context, List<Integer> state) {
    return createEnumerator(context);
  }

  @Override
  public SourceReader<T, JdbcSplit> createReader(SourceContext context) {
    return new JdbcSourceReader<>(new JdbcFetcher<>(database, query, mapper, context));
  }
}
