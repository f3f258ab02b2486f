package io.millrace.connector.jdbc;

import io.millrace.api.function.Collector;
import io.millrace.api.source.PollingReader.Status;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Divides the range of a key into splits of equal width. */
final class JdbcEnumerator implements SplitEnumerator<JdbcSplit, Integer> {
  static final int MOST_SPLITS = 100_000;

  /** More splits than readers, so that a reader that is quick reads more. */
  private static final int SPLITS_PER_READER = 4;

  private final JdbcDatabase database;
  private final JdbcQuery query;
  private final int splits;

  /**
   * @param splits 0 for the default
   */
  JdbcEnumerator(JdbcDatabase database, JdbcQuery query, int splits, int readers) {
    this.database = database;
    this.query = query;
    this.splits =
        splits > 0 ? splits : (int) Math.min(MOST_SPLITS, (long) SPLITS_PER_READER * readers);
  }

  @Override
  public Status discover(Collector<JdbcSplit> found) throws InterruptedException {
    SqlRetry.call(database, "Finding the range of '" + query.key() + "'", this::divide)
        .forEach(found::emit);
    return Status.END;
  }

  private List<JdbcSplit> divide() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      refuseNulls(statement);
      try (ResultSet bounds = statement.executeQuery(query.bounds())) {
        KeyType type = KeyType.of(bounds.getMetaData(), 1, query.key());
        bounds.next();
        KeyValue first = type.read(bounds, 1);
        KeyValue last = type.read(bounds, 2);
        return first == null ? List.of() : divide(type, first, last);
      }
    }
  }

  private void refuseNulls(Statement statement) throws SQLException {
    statement.setMaxRows(1);
    try (ResultSet nulls = statement.executeQuery(query.nulls())) {
      if (nulls.next()) {
        throw new MillraceException(
            ErrorKind.USER,
            "Rows of the query have no value in the key '"
                + query.key()
                + "', so that they are in no range of keys. Choose another key, or leave them out"
                + " with WHERE "
                + query.key()
                + " IS NOT NULL.");
      }
    }
  }

  private List<JdbcSplit> divide(KeyType type, KeyValue first, KeyValue last) {
    int parts = first.count(last, type.step()).min(BigInteger.valueOf(splits)).intValueExact();
    List<JdbcSplit> divided = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      boolean isLast = part == parts - 1;
      KeyValue from = first.partStart(last, part, parts, type.step());
      KeyValue to = isLast ? last : first.partStart(last, part + 1, parts, type.step());
      divided.add(new JdbcSplit(part, type, to, isLast, from, 0));
    }
    return divided;
  }

  @Override
  public List<Integer> snapshot(long checkpoint) {
    return List.of();
  }
}
