package io.millrace.api.function;

import java.io.Serializable;

/**
 * Decides which records are kept.
 *
 * <pre>{@code
 * FilterFunction<Order> large = order -> order.cents() > 100_000;
 * orders.filter(large).print();
 * }</pre>
 */
@FunctionalInterface
public interface FilterFunction<T> extends Serializable {
  boolean keep(T record) throws Exception;
}
