package io.millrace.connector.jdbc;

import java.io.Serializable;

/**
 * Whether something holds for a record.
 *
 * <pre>{@code
 * RecordCondition<Order> cancelled = order -> order.cents() == 0;
 * JdbcTable<Order> table =
 *     JdbcTable.named("open_orders", Order.class)
 *         .key("customer", Order::customer)
 *         .column("cents", Order::cents)
 *         .deleteWhen(cancelled);
 * }</pre>
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface RecordCondition<T> extends Serializable {
  boolean test(T record) throws Exception;
}
