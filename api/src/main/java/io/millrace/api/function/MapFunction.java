package io.millrace.api.function;

import java.io.Serializable;

/**
 * Turns each record into another one.
 *
 * <pre>{@code
 * MapFunction<Order, String> line = order -> order.customer() + " orders for " + order.cents();
 * orders.map(line).print();
 * }</pre>
 */
@FunctionalInterface
public interface MapFunction<T, R> extends Serializable {
  R map(T record) throws Exception;
}
