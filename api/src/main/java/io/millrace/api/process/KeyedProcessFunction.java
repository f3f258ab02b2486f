package io.millrace.api.process;

import io.millrace.api.function.Collector;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.TimerService;

/**
 * Processes the records of each key with state and timers. States come from the {@link
 * RuntimeContext} that {@link #open} gets.
 *
 * <pre>{@code
 * // Emits a customer an hour after the last order.
 * class Idle extends KeyedProcessFunction<String, Order, String> {
 *   private transient ValueState<Long> due;
 *
 *   public void open(RuntimeContext context) {
 *     due = context.state(new ValueStateDescriptor<>("due"));
 *   }
 *
 *   public void process(Order order, Context<String> context, Collector<String> out) {
 *     due.update(order.time() + 3_600_000);
 *     context.timerService().registerEventTimeTimer(due.value());
 *   }
 *
 *   public void onTimer(long time, OnTimerContext<String> context, Collector<String> out) {
 *     if (due.value() == time) {
 *       out.emit(context.currentKey());
 *     }
 *   }
 * }
 *
 * orders.keyBy(Order::customer).process(new Idle()).print();
 * }</pre>
 *
 * @param <K> keys
 * @param <T> records
 * @param <R> results
 */
public abstract class KeyedProcessFunction<K, T, R> implements RichFunction {
  private static final long serialVersionUID = 1L;

  public abstract void process(T record, Context<K> context, Collector<R> out) throws Exception;

  /** A timer of a key has fired. */
  public void onTimer(long time, OnTimerContext<K> context, Collector<R> out) throws Exception {}

  /** The context of a record. Valid only during the call. */
  public interface Context<K> {
    K currentKey();

    /**
     * The record's event time, {@link io.millrace.api.time.Timestamps#NONE} if it has none; that of
     * an event-time timer when one fires.
     */
    long timestamp();

    TimerService timerService();

    /** Emits into a side output. */
    <X> void output(OutputTag<X> tag, X record);
  }

  /** The context of a timer. */
  public interface OnTimerContext<K> extends Context<K> {
    TimeDomain timeDomain();
  }
}
