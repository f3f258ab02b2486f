package io.millrace.api.process;

import io.millrace.api.function.Collector;
import io.millrace.api.state.BroadcastState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReadOnlyBroadcastState;

/**
 * Processes a stream together with a broadcast stream, whose records every subtask gets. Only the
 * records of the broadcast stream change the broadcast state, so that it is the same everywhere.
 *
 * <pre>{@code
 * MapStateDescriptor<String, Long> limits = new MapStateDescriptor<>("limits");
 *
 * class Limited extends BroadcastProcessFunction<Order, Payment, Order> {
 *   public void process(Order order, ReadOnlyContext context, Collector<Order> out) {
 *     Long limit = context.broadcastState(limits).get(order.customer());
 *     if (limit == null || order.cents() <= limit) {
 *       out.emit(order);
 *     }
 *   }
 *
 *   public void processBroadcast(Payment payment, Context context, Collector<Order> out) {
 *     context.broadcastState(limits).put(payment.customer(), payment.cents());
 *   }
 * }
 *
 * orders.connect(payments.broadcast(limits)).process(new Limited()).print();
 * }</pre>
 *
 * @param <T> records of the stream
 * @param <B> records of the broadcast stream
 * @param <R> results
 */
public abstract class BroadcastProcessFunction<T, B, R> implements RichFunction {
  private static final long serialVersionUID = 1L;

  public abstract void process(T record, ReadOnlyContext context, Collector<R> out)
      throws Exception;

  public abstract void processBroadcast(B record, Context context, Collector<R> out)
      throws Exception;

  /** The context of a record of the stream. Valid only during the call. */
  public interface ReadOnlyContext extends ProcessFunction.Context {
    /** A state that was given to {@code broadcast}. */
    <K, V> ReadOnlyBroadcastState<K, V> broadcastState(MapStateDescriptor<K, V> descriptor);
  }

  /** The context of a record of the broadcast stream. Valid only during the call. */
  public interface Context extends ReadOnlyContext {
    @Override
    <K, V> BroadcastState<K, V> broadcastState(MapStateDescriptor<K, V> descriptor);
  }
}
