package io.millrace.api.function;

import java.io.Serializable;

/**
 * Combines two records of one key into one, and changes neither. It must be associative, because
 * results are combined further in any grouping. Records of one subtask come in their order; sliding
 * windows and sessions combine partial results in order of time.
 *
 * <pre>{@code
 * ReduceFunction<Order> total =
 *     (left, right) -> new Order(left.customer(), right.time(), left.cents() + right.cents());
 * orders.keyBy(Order::customer).reduce(total).print();
 * }</pre>
 */
@FunctionalInterface
public interface ReduceFunction<T> extends Serializable {
  T reduce(T left, T right) throws Exception;
}
