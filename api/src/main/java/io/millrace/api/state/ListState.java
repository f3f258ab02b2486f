package io.millrace.api.state;

import java.util.List;

/**
 * A list of the current key or, as operator state, of the subtask; in insertion order.
 *
 * <pre>{@code
 * // Emits the last three orders of each customer.
 * class LastOrders implements MapFunction<Order, List<Order>>, RichFunction {
 *   private transient ListState<Order> last;
 *
 *   public void open(RuntimeContext context) {
 *     last = context.listState(new ListStateDescriptor<>("last"));
 *   }
 *
 *   public List<Order> map(Order order) {
 *     last.add(order);
 *     List<Order> all = last.values();
 *     List<Order> kept = List.copyOf(all.subList(Math.max(0, all.size() - 3), all.size()));
 *     last.update(kept);
 *     return kept;
 *   }
 * }
 *
 * orders.keyBy(Order::customer).map(new LastOrders()).print();
 * }</pre>
 */
public interface ListState<T> {
  /** The elements as they are now; empty if there are none. */
  List<T> values();

  void add(T element);

  void addAll(Iterable<? extends T> elements);

  /** Replaces all elements. */
  void update(Iterable<? extends T> elements);

  void clear();
}
