package io.millrace.connector.jdbc;

import java.io.Serializable;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Makes a record of a row.
 *
 * <pre>{@code
 * RowMapper<Order> mapper =
 *     row -> new Order(row.getString("customer"), row.getLong("time"), row.getLong("cents"));
 * JdbcDatabase shop = JdbcDatabase.at("jdbc:postgresql://host/shop");
 * env.fromSource(JdbcSource.table(shop, "orders", "id", mapper), "orders").print();
 * }</pre>
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
