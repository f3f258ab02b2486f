package io.millrace.api.process;

import io.millrace.api.function.Collector;
import io.millrace.api.state.BroadcastState;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReadOnlyBroadcastState;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;

/**
 * Processes a keyed stream, with keyed state and timers, together with a broadcast stream, whose
 * records every subtask gets. A record of the broadcast stream has no key.
 *
 * <pre>{@code
 * MapStateDescriptor<String, Long> limits = new MapStateDescriptor<>("limits");
 * ValueStateDescriptor<Long> spent = new ValueStateDescriptor<>("spent");
 *
 * // Emits customers who have spent more than a limit that all subtasks know.
 * class Limited extends KeyedBroadcastProcessFunction<String, Order, Payment, String> {
 *   private transient ValueState<Long> sum;
 *
 *   public void open(RuntimeContext context) {
 *     sum = context.state(spent);
 *   }
 *
 *   public void process(Order order, ReadOnlyContext<String> context, Collector<String> out) {
 *     sum.update(sum.valueOr(0L) + order.cents());
 *     Long limit = context.broadcastState(limits).get("limit");
 *     if (limit != null && sum.value() > limit) {
 *       out.emit(context.currentKey());
 *     }
 *   }
 *
 *   public void processBroadcast(Payment payment, Context<String> context, Collector<String> out)
 *       throws Exception {
 *     context.broadcastState(limits).put("limit", payment.cents());
 *     context.applyToKeyedState(spent, (customer, value) -> value.clear());
 *   }
 * }
 *
 * orders
 *     .keyBy(Order::customer)
 *     .connect(payments.broadcast(limits))
 *     .process(new Limited())
 *     .print();
 * }</pre>
 *
 * @param <K> keys
 * @param <T> records of the keyed stream
 * @param <B> records of the broadcast stream
 * @param <R> results
 */
public abstract class KeyedBroadcastProcessFunction<K, T, B, R> implements RichFunction {
  private static final long serialVersionUID = 1L;

  public abstract void process(T record, ReadOnlyContext<K> context, Collector<R> out)
      throws Exception;

  public abstract void processBroadcast(B record, Context<K> context, Collector<R> out)
      throws Exception;

  /** A timer of a key has fired. */
  public void onTimer(long time, OnTimerContext<K> context, Collector<R> out) throws Exception {}

  /** The context of a record of the keyed stream. Valid only during the call. */
  public interface ReadOnlyContext<K> extends KeyedProcessFunction.Context<K> {
    /** A state that was given to {@code broadcast}. */
    <X, V> ReadOnlyBroadcastState<X, V> broadcastState(MapStateDescriptor<X, V> descriptor);
  }

  /** The context of a timer. */
  public interface OnTimerContext<K>
      extends ReadOnlyContext<K>, KeyedProcessFunction.OnTimerContext<K> {}

  /** The context of a record of the broadcast stream. Valid only during the call. */
  public interface Context<K> extends ProcessFunction.Context {
    <X, V> BroadcastState<X, V> broadcastState(MapStateDescriptor<X, V> descriptor);

    /**
     * Calls a function with the value of each key of this subtask that has one. The function may
     * change the state of the key that it is called for.
     */
    <T> void applyToKeyedState(
        ValueStateDescriptor<T> descriptor, KeyedStateFunction<K, ValueState<T>> function)
        throws Exception;

    /** The same with the list of each key. */
    <T> void applyToKeyedState(
        ListStateDescriptor<T> descriptor, KeyedStateFunction<K, ListState<T>> function)
        throws Exception;

    /** The same with the map of each key. */
    <X, V> void applyToKeyedState(
        MapStateDescriptor<X, V> descriptor, KeyedStateFunction<K, MapState<X, V>> function)
        throws Exception;
  }

  /** Visits the state of a key. */
  @FunctionalInterface
  public interface KeyedStateFunction<K, S> {
    void process(K key, S state) throws Exception;
  }
}
