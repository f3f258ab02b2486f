package io.millrace.api.time;

/**
 * The kind of time of a timer.
 *
 * <pre>{@code
 * class Alarm extends KeyedProcessFunction<String, Order, String> {
 *   public void process(Order order, Context<String> context, Collector<String> out) {
 *     TimerService timers = context.timerService();
 *     timers.registerEventTimeTimer(order.time() + 60_000);
 *     timers.registerProcessingTimeTimer(timers.currentProcessingTime() + 60_000);
 *   }
 *
 *   public void onTimer(long time, OnTimerContext<String> context, Collector<String> out) {
 *     if (context.timeDomain() == TimeDomain.EVENT_TIME) {
 *       out.emit(context.currentKey() + " at " + time);
 *     }
 *   }
 * }
 *
 * orders.keyBy(Order::customer).process(new Alarm()).print();
 * }</pre>
 */
public enum TimeDomain {
  EVENT_TIME,
  PROCESSING_TIME
}
