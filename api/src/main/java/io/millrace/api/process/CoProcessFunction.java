package io.millrace.api.process;

import io.millrace.api.function.Collector;

/**
 * Processes the records of two connected streams, with timestamps and side outputs. If both streams
 * are keyed, it can have keyed state; {@link KeyedCoProcessFunction} adds the current key and
 * timers.
 *
 * <pre>{@code
 * class Both extends CoProcessFunction<Order, Payment, String> {
 *   public void process1(Order order, Context context, Collector<String> out) {
 *     out.emit("order " + order);
 *   }
 *
 *   public void process2(Payment payment, Context context, Collector<String> out) {
 *     out.emit("payment " + payment);
 *   }
 * }
 *
 * orders.connect(payments).process(new Both()).print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <R> results
 */
public abstract class CoProcessFunction<A, B, R> implements RichFunction {
  private static final long serialVersionUID = 1L;

  public abstract void process1(A record, Context context, Collector<R> out) throws Exception;

  public abstract void process2(B record, Context context, Collector<R> out) throws Exception;

  /** The context of a record. Valid only during the call. */
  public interface Context extends ProcessFunction.Context {}
}
