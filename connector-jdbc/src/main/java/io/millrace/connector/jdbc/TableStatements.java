package io.millrace.connector.jdbc;

import io.millrace.core.error.MillraceException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The statements of a table, and the errors of a database that refuses them. */
final class TableStatements {
  private static final Logger LOG = LoggerFactory.getLogger(TableStatements.class);

  private final JdbcDatabase database;
  private final String table;
  private final String write;

  /** Empty if the table has no key. */
  private final String delete;

  TableStatements(JdbcDatabase database, JdbcTable<?> table) {
    this.database = database;
    this.table = table.name();
    this.write = table.writeStatement(database);
    this.delete = table.hasKey() ? table.deleteStatement() : "";
  }

  private String statement(RowChange change) {
    return change.isDelete() ? delete : write;
  }

  /** Sends all changes, in the transaction of the connection. */
  void execute(Connection connection, RowBatch batch) throws SQLException {
    for (List<RowChange> group : batch.groups()) {
      try (PreparedStatement statement = connection.prepareStatement(statement(group.get(0)))) {
        for (RowChange change : group) {
          change.bind(statement);
          statement.addBatch();
        }
        statement.executeBatch();
      }
    }
  }

  /**
   * The error for a batch that the database does not take. The first row that it refuses is found
   * by sending them one by one, in a transaction that is rolled back.
   *
   * @param connection without a transaction
   */
  MillraceException refused(Connection connection, RowBatch batch, SQLException thrown) {
    for (RowChange change : batch.changes()) {
      try (PreparedStatement statement = connection.prepareStatement(statement(change))) {
        change.bind(statement);
        statement.executeUpdate();
      } catch (SQLException e) {
        SqlErrors.rollback(connection);
        if (SqlErrors.isTransient(e)) {
          LOG.warn("The record that {} refuses cannot be found", database);
          break;
        }
        return SqlErrors.failed(
            "The statement '" + statement(change) + "' with " + change.describe(), database, e);
      }
    }
    SqlErrors.rollback(connection);
    return SqlErrors.failed(what(batch), database, thrown);
  }

  /** A batch, for messages. */
  String what(RowBatch batch) {
    RowChange first = batch.changes().iterator().next();
    return "Writing "
        + batch.size()
        + " rows to table "
        + table
        + " with the statement '"
        + statement(first)
        + "', the first with "
        + first.describe()
        + ",";
  }
}
