package io.millrace.api;

import java.io.Serializable;

/**
 * The sum of a number over the records of a key.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .sum(Order::cents)
 *     .map(turnover -> turnover.key() + " ordered for " + turnover.sum())
 *     .print();
 * }</pre>
 */
public record Summed<K>(K key, long sum) implements Serializable {}
