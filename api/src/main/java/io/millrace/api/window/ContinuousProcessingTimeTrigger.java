package io.millrace.api.window;

import java.time.Duration;

/**
 * Fires repeatedly after an interval of processing time while a window gets records.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(ContinuousProcessingTimeTrigger.of(Duration.ofSeconds(10)))
 *     .sum(Order::cents)
 *     .print();
 * }</pre>
 */
public final class ContinuousProcessingTimeTrigger extends ContinuousTrigger {
  private static final long serialVersionUID = 1L;

  private ContinuousProcessingTimeTrigger(Duration interval) {
    super(interval);
  }

  public static ContinuousProcessingTimeTrigger of(Duration interval) {
    return new ContinuousProcessingTimeTrigger(interval);
  }

  @Override
  void registerTimer(long time, TriggerContext context) {
    context.registerProcessingTimeTimer(time);
  }

  @Override
  void deleteTimer(long time, TriggerContext context) {
    context.deleteProcessingTimeTimer(time);
  }

  @Override
  public TriggerResult onElement(
      Object record, long timestamp, TimeWindow window, TriggerContext context) throws Exception {
    startAfter(context.currentProcessingTime(), window, context);
    return TriggerResult.CONTINUE;
  }

  @Override
  public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
    return TriggerResult.CONTINUE;
  }

  @Override
  public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context)
      throws Exception {
    if (!isDue(time, context)) {
      return TriggerResult.CONTINUE;
    }
    if (time < window.maxTimestamp()) {
      startAfter(time, window, context);
    }
    return TriggerResult.FIRE;
  }
}
