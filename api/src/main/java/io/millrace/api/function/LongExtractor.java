package io.millrace.api.function;

import java.io.Serializable;

/**
 * Extracts a number from a record.
 *
 * <pre>{@code
 * LongExtractor<Order> euros = order -> order.cents() / 100;
 * orders.keyBy(Order::customer).sum(euros).print();
 * }</pre>
 */
@FunctionalInterface
public interface LongExtractor<T> extends Serializable {
  long extract(T record) throws Exception;
}
