package io.millrace.api.state;

import java.util.Map;

/**
 * A broadcast state as a function sees it that must not change it.
 *
 * <pre>{@code
 * MapStateDescriptor<String, Long> limits = new MapStateDescriptor<>("limits");
 *
 * class Limited extends BroadcastProcessFunction<Order, Payment, Order> {
 *   public void process(Order order, ReadOnlyContext context, Collector<Order> out) {
 *     ReadOnlyBroadcastState<String, Long> state = context.broadcastState(limits);
 *     if (!state.contains(order.customer()) || order.cents() <= state.get(order.customer())) {
 *       out.emit(order);
 *     }
 *   }
 *
 *   public void processBroadcast(Payment payment, Context context, Collector<Order> out) {
 *     context.broadcastState(limits).put(payment.customer(), payment.cents());
 *   }
 * }
 * }</pre>
 */
public interface ReadOnlyBroadcastState<K, V> {
  /** The value under a map key, or null if there is none. */
  V get(K mapKey);

  boolean contains(K mapKey);

  boolean isEmpty();

  /** An unmodifiable view of all entries, in insertion order of the keys. */
  Map<K, V> entries();
}
