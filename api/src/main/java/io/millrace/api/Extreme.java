package io.millrace.api;

import java.io.Serializable;

/**
 * The lowest or highest value over the records of a key.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .max(Order::cents)
 *     .map(most -> most.key() + " ordered for at most " + most.value())
 *     .print();
 * }</pre>
 */
public record Extreme<K, V>(K key, V value) implements Serializable {}
