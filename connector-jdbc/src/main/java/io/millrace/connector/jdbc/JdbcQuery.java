package io.millrace.connector.jdbc;

import java.io.Serializable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A query that is divided by the values of a key.
 *
 * @param order the columns by which rows with the same key are ordered
 */
record JdbcQuery(String sql, String key, ArrayList<String> order) implements Serializable {
  private static final long serialVersionUID = 1L;

  String bounds() {
    return "SELECT MIN(" + key + "), MAX(" + key + ") FROM (" + sql + ") millrace_query";
  }

  String nulls() {
    return "SELECT 1 FROM (" + sql + ") millrace_query WHERE " + key + " IS NULL";
  }

  /** The rows of a split from its position on. The key is the last column. */
  String rows(JdbcSplit split) {
    List<String> columns = new ArrayList<>(List.of(key));
    columns.addAll(order);
    return "SELECT millrace_query.*, "
        + key
        + " AS millrace_key FROM ("
        + sql
        + ") millrace_query WHERE "
        + key
        + " >= ? AND "
        + key
        + (split.last() ? " <= ?" : " < ?")
        + " ORDER BY "
        + String.join(", ", columns);
  }

  PreparedStatement prepare(Connection connection, JdbcSplit split, int fetchSize)
      throws SQLException {
    PreparedStatement statement =
        connection.prepareStatement(
            rows(split), ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
    statement.setFetchSize(fetchSize);
    split.type().set(statement, 1, split.position());
    split.type().set(statement, 2, split.to());
    return statement;
  }
}
