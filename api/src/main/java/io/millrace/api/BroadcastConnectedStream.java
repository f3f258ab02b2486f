package io.millrace.api;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.BroadcastProcessFunction;
import java.util.List;

/**
 * A stream connected to a broadcast stream. The broadcast states belong to the operator that
 * follows.
 *
 * <pre>{@code
 * MapStateDescriptor<String, Long> limits = new MapStateDescriptor<>("limits");
 *
 * class Limited extends BroadcastProcessFunction<Order, Payment, Order> {
 *   public void process(Order order, ReadOnlyContext context, Collector<Order> out) {
 *     if (context.broadcastState(limits).contains(order.customer())) {
 *       out.emit(order);
 *     }
 *   }
 *
 *   public void processBroadcast(Payment payment, Context context, Collector<Order> out) {
 *     context.broadcastState(limits).put(payment.customer(), payment.cents());
 *   }
 * }
 *
 * BroadcastConnectedStream<Order, Payment> both = orders.connect(payments.broadcast(limits));
 * both.process(new Limited()).print();
 * }</pre>
 *
 * @param <T> records of the stream
 * @param <B> records of the broadcast stream
 */
public sealed class BroadcastConnectedStream<T, B> permits KeyedBroadcastConnectedStream {
  private final DataStream<T> stream;
  private final BroadcastStream<B> broadcast;

  BroadcastConnectedStream(DataStream<T> stream, BroadcastStream<B> broadcast) {
    stream.node().requireSameEnvironment(broadcast.node(), "connect");
    this.stream = stream;
    this.broadcast = broadcast;
  }

  /** Processes the records of both streams. */
  public <R> DataStream<R> process(BroadcastProcessFunction<? super T, ? super B, R> function) {
    return then(
        new OperatorSpec.BroadcastProcessing(
            TypeErasure.broadcastProcess(function), broadcast.states()));
  }

  final List<String> states() {
    return broadcast.states();
  }

  final <R> DataStream<R> then(OperatorSpec spec) {
    return new DataStream<>(
        stream
            .node()
            .environment()
            .add(
                "broadcastProcess",
                new PendingTransformation.Kind.Operator(finalOnly -> spec),
                List.of(stream.node(), broadcast.node())));
  }
}
