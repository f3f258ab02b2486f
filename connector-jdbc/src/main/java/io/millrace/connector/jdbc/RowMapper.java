package io.millrace.connector.jdbc;

import java.io.Serializable;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Makes a record of a row.
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface RowMapper<T> extends Serializable {
  /**
   * @param row at the row to map; the mapper does not move or close it
   */
  T map(ResultSet row) throws SQLException;
}
