package io.millrace.api.function;

import java.io.Serializable;

/**
 * Generates the record of an index; the same index must always give the same record.
 *
 * <pre>{@code
 * IndexFunction<Order> generated = index -> new Order("customer " + index % 10, index, 100);
 * env.generate(generated, 1_000_000).keyBy(Order::customer).count().print();
 * }</pre>
 */
@FunctionalInterface
public interface IndexFunction<T> extends Serializable {
  T at(long index) throws Exception;
}
