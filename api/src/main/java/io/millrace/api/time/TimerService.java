package io.millrace.api.time;

/**
 * Timers of the current key. A key has at most one timer for a time of each kind: registering it
 * again changes nothing. At the end of the input all timers that are left fire, event time first;
 * processing-time timers registered then do not.
 *
 * <pre>{@code
 * // Emits a customer a minute after each order.
 * class Reminder extends KeyedProcessFunction<String, Order, String> {
 *   public void process(Order order, Context<String> context, Collector<String> out) {
 *     TimerService timers = context.timerService();
 *     if (order.time() > timers.currentWatermark()) {
 *       timers.registerEventTimeTimer(order.time() + 60_000);
 *     }
 *   }
 *
 *   public void onTimer(long time, OnTimerContext<String> context, Collector<String> out) {
 *     out.emit(context.currentKey());
 *   }
 * }
 *
 * orders.keyBy(Order::customer).process(new Reminder()).print();
 * }</pre>
 */
public interface TimerService {
  /** The current watermark; {@link Long#MIN_VALUE} before the first one. */
  long currentWatermark();

  /** Milliseconds since the epoch. */
  long currentProcessingTime();

  /** Fires when event time reaches this point; if it has already, with the next watermark. */
  void registerEventTimeTimer(long time);

  void registerProcessingTimeTimer(long time);

  /** Deletes a timer if it exists. */
  void deleteEventTimeTimer(long time);

  void deleteProcessingTimeTimer(long time);
}
