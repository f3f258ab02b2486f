package io.millrace.api;

import java.io.Serializable;

/**
 * The number of records of a key.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .count()
 *     .filter(orders -> orders.count() > 100)
 *     .map(Counted::key)
 *     .print();
 * }</pre>
 */
public record Counted<K>(K key, long count) implements Serializable {}
