package io.millrace.api.function;

import java.io.Serializable;

/**
 * Extracts a value from a record, by which records are compared.
 *
 * <pre>{@code
 * ValueExtractor<Order, Instant> time = order -> Instant.ofEpochMilli(order.time());
 * orders.keyBy(Order::customer).maxBy(time).print();
 * }</pre>
 */
@FunctionalInterface
public interface ValueExtractor<T, V> extends Serializable {
  V extract(T record) throws Exception;
}
