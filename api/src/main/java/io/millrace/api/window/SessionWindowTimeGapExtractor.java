package io.millrace.api.window;

import java.io.Serializable;

/**
 * The gap that ends a session after a record, in milliseconds; 1 or more.
 *
 * <pre>{@code
 * // Large orders take longer.
 * SessionWindowTimeGapExtractor<Order> gap =
 *     order -> order.cents() > 100_000 ? 3_600_000 : 600_000;
 * orders
 *     .keyBy(Order::customer)
 *     .window(EventTimeSessionWindows.withDynamicGap(gap))
 *     .count()
 *     .print();
 * }</pre>
 */
@FunctionalInterface
public interface SessionWindowTimeGapExtractor<T> extends Serializable {
  long extract(T record);
}
