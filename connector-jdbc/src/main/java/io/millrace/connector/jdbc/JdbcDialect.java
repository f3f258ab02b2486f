package io.millrace.connector.jdbc;

import java.io.Serializable;
import java.util.List;

/**
 * What differs between databases. The dialects of PostgreSQL, MySQL, MariaDB and H2 are chosen from
 * the URL; a program may bring one of its own.
 *
 * <pre>{@code
 * class Sqlite implements JdbcDialect {
 *   public String name() {
 *     return "SQLite";
 *   }
 *
 *   public String upsert(String table, List<String> columns, List<String> keyColumns) {
 *     String parameters = String.join(", ", Collections.nCopies(columns.size(), "?"));
 *     return "INSERT OR REPLACE INTO %s (%s) VALUES (%s)"
 *         .formatted(table, String.join(", ", columns), parameters);
 *   }
 * }
 *
 * JdbcDatabase database = JdbcDatabase.at("jdbc:sqlite:/data/shop.db").dialect(new Sqlite());
 * }</pre>
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
