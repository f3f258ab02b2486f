package io.millrace.api.state;

/**
 * A map that has the same content in all subtasks, because all of them get the records of the
 * broadcast stream. The function must change it for each such record in the same way.
 *
 * <pre>{@code
 * MapStateDescriptor<String, Long> prices = new MapStateDescriptor<>("prices");
 *
 * class Priced extends BroadcastProcessFunction<String, Order, Long> {
 *   public void process(String article, ReadOnlyContext context, Collector<Long> out) {
 *     if (context.broadcastState(prices).contains(article)) {
 *       out.emit(context.broadcastState(prices).get(article));
 *     }
 *   }
 *
 *   public void processBroadcast(Order order, Context context, Collector<Long> out) {
 *     BroadcastState<String, Long> state = context.broadcastState(prices);
 *     state.put(order.customer(), order.cents());
 *   }
 * }
 * }</pre>
 */
public interface BroadcastState<K, V> extends ReadOnlyBroadcastState<K, V>, MapState<K, V> {}
