package io.millrace.connector.jdbc;

import java.io.Serializable;
import javax.sql.XADataSource;

/**
 * Creates the data source of a driver for two-phase commits.
 *
 * <pre>{@code
 * // A data source of the driver of the database.
 * XaDataSourceSupplier supplier =
 *     () -> {
 *       PGXADataSource source = new PGXADataSource();
 *       source.setUrl("jdbc:postgresql://host/shop");
 *       return source;
 *     };
 * JdbcDatabase shop = JdbcDatabase.at("jdbc:postgresql://host/shop");
 * JdbcTable<Order> table =
 *     JdbcTable.named("orders", Order.class).column("customer", Order::customer);
 * orders.sinkTo(JdbcTransactionSink.to(shop, table, "orders").dataSource(supplier));
 * }</pre>
 */
@FunctionalInterface
public interface XaDataSourceSupplier extends Serializable {
  XADataSource create() throws Exception;
}
