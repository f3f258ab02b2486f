package io.millrace.api.state;

import java.util.Map;

/**
 * A map of the current key or, as broadcast state, of the subtask.
 *
 * <pre>{@code
 * // Counts the orders of each customer by their amounts.
 * class Amounts implements MapFunction<Order, String>, RichFunction {
 *   private transient MapState<Long, Integer> counts;
 *
 *   public void open(RuntimeContext context) {
 *     counts = context.mapState(new MapStateDescriptor<>("counts"));
 *   }
 *
 *   public String map(Order order) {
 *     Integer count = counts.get(order.cents());
 *     counts.put(order.cents(), count == null ? 1 : count + 1);
 *     return order.customer() + " " + counts.entries();
 *   }
 * }
 *
 * orders.keyBy(Order::customer).map(new Amounts()).print();
 * }</pre>
 */
public interface MapState<K, V> {
  /** The value under a map key, or null if there is none. */
  V get(K mapKey);

  void put(K mapKey, V value);

  void remove(K mapKey);

  boolean contains(K mapKey);

  boolean isEmpty();

  /**
   * A view of all entries, on the heap in insertion order of the keys; a backend outside the heap
   * has an order of its own. The map must not be changed while it is iterated.
   */
  Map<K, V> entries();

  void clear();
}
