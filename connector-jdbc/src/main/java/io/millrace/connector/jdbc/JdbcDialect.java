package io.millrace.connector.jdbc;

import java.io.Serializable;
import java.util.List;

/**
 * What differs between databases. The dialects of PostgreSQL, MySQL, MariaDB and H2 are chosen from
 * the URL; a program may bring one of its own.
 */
public interface JdbcDialect extends Serializable {
  /** The name for messages. */
  String name();

  /**
   * A statement with one parameter for each column, in their order. It inserts a row, or updates
   * the row that has the same key.
   *
   * @param columns all columns, those of the key included
   * @param keyColumns the columns of a primary key or unique index
   */
  String upsert(String table, List<String> columns, List<String> keyColumns);

  /**
   * The fetch size with which the driver reads a result in parts instead of holding all rows in
   * memory.
   *
   * @param rows the wanted size of a part
   */
  default int fetchSize(int rows) {
    return rows;
  }
}
