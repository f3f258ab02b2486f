package io.millrace.connector.jdbc;

import java.io.Serializable;

/**
 * The value that a record has in a column.
 *
 * <pre>{@code
 * ColumnValue<Order> time = order -> Instant.ofEpochMilli(order.time());
 * JdbcTable<Order> table =
 *     JdbcTable.named("orders", Order.class)
 *         .key("customer", Order::customer)
 *         .column("time", time);
 * }</pre>
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface ColumnValue<T> extends Serializable {
  /**
   * A value that the driver takes, or null. An {@link java.time.Instant} becomes a timestamp with
   * time zone, an enum its name.
   */
  Object of(T record) throws Exception;
}
