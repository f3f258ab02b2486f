package io.millrace.api.window;

import java.io.Serializable;

/**
 * The distance between two records.
 *
 * <pre>{@code
 * DeltaFunction<Order> distance = (older, newer) -> Math.abs(newer.cents() - older.cents());
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(DeltaTrigger.of(100, distance))
 *     .count()
 *     .print();
 * }</pre>
 */
@FunctionalInterface
public interface DeltaFunction<T> extends Serializable {
  double delta(T older, T newer);
}
