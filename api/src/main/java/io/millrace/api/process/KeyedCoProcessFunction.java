package io.millrace.api.process;

import io.millrace.api.function.Collector;

/**
 * Processes the records of two connected keyed streams. Records of both streams with the same key
 * share the state and the timers of that key.
 *
 * <pre>{@code
 * // Emits what a customer owes after each order and payment.
 * class Balance extends KeyedCoProcessFunction<String, Order, Payment, Long> {
 *   private transient ReducingState<Long> balance;
 *
 *   public void open(RuntimeContext context) {
 *     balance = context.reducingState(new ReducingStateDescriptor<>("balance", Long::sum));
 *   }
 *
 *   public void process1(Order order, Context<String> context, Collector<Long> out)
 *       throws Exception {
 *     balance.add(order.cents());
 *     out.emit(balance.value());
 *   }
 *
 *   public void process2(Payment payment, Context<String> context, Collector<Long> out)
 *       throws Exception {
 *     balance.add(-payment.cents());
 *     out.emit(balance.value());
 *   }
 * }
 *
 * orders
 *     .connect(payments)
 *     .keyBy(Order::customer, Payment::customer)
 *     .process(new Balance())
 *     .print();
 * }</pre>
 *
 * @param <K> keys
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <R> results
 */
public abstract class KeyedCoProcessFunction<K, A, B, R> implements RichFunction {
  private static final long serialVersionUID = 1L;

  public abstract void process1(A record, Context<K> context, Collector<R> out) throws Exception;

  public abstract void process2(B record, Context<K> context, Collector<R> out) throws Exception;

  /** A timer of a key has fired. */
  public void onTimer(long time, OnTimerContext<K> context, Collector<R> out) throws Exception {}

  /** The context of a record. Valid only during the call. */
  public interface Context<K> extends KeyedProcessFunction.Context<K> {}

  /** The context of a timer. */
  public interface OnTimerContext<K> extends Context<K>, KeyedProcessFunction.OnTimerContext<K> {}
}
