package io.millrace.api.function;

import java.io.Serializable;

/**
 * Finds the key of a record; the same record must always give the same key.
 *
 * <pre>{@code
 * record Group(String customer, boolean large) {}
 *
 * orders.keyBy(order -> new Group(order.customer(), order.cents() > 100_000)).count().print();
 * }</pre>
 */
@FunctionalInterface
public interface KeySelector<T, K> extends Serializable {
  K key(T record) throws Exception;
}
