package io.millrace.api;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedBroadcastProcessFunction;

/**
 * A keyed stream connected to a broadcast stream.
 *
 * <pre>{@code
 * MapStateDescriptor<String, Long> limits = new MapStateDescriptor<>("limits");
 *
 * class Limited extends KeyedBroadcastProcessFunction<String, Order, Payment, Order> {
 *   public void process(Order order, ReadOnlyContext<String> context, Collector<Order> out) {
 *     Long limit = context.broadcastState(limits).get(context.currentKey());
 *     if (limit == null || order.cents() <= limit) {
 *       out.emit(order);
 *     }
 *   }
 *
 *   public void processBroadcast(Payment payment, Context<String> context, Collector<Order> out) {
 *     context.broadcastState(limits).put(payment.customer(), payment.cents());
 *   }
 * }
 *
 * KeyedBroadcastConnectedStream<Order, Payment, String> both =
 *     orders.keyBy(Order::customer).connect(payments.broadcast(limits));
 * both.process(new Limited()).print();
 * }</pre>
 *
 * @param <T> records of the keyed stream
 * @param <B> records of the broadcast stream
 * @param <K> keys
 */
public final class KeyedBroadcastConnectedStream<T, B, K> extends BroadcastConnectedStream<T, B> {
  private final KeyedStream<T, K> stream;

  KeyedBroadcastConnectedStream(KeyedStream<T, K> stream, BroadcastStream<B> broadcast) {
    super(stream, broadcast);
    this.stream = stream;
  }

  /** Processes the records of both streams, with state and timers of the keys. */
  public <R> DataStream<R> process(
      KeyedBroadcastProcessFunction<? super K, ? super T, ? super B, R> function) {
    return then(
        new OperatorSpec.KeyedBroadcastProcessing(
            TypeErasure.key(stream.key()), TypeErasure.broadcastProcess(function), states()));
  }
}
