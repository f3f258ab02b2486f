package io.millrace.api.window;

import java.time.Duration;

/**
 * Fires repeatedly after an interval of event time, and at the end of the window.
 *
 * <pre>{@code
 * // Shows the count of each day so far, every hour.
 * orders
 *     .keyBy(Order::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
 *     .trigger(ContinuousEventTimeTrigger.of(Duration.ofHours(1)))
 *     .count()
 *     .print();
 * }</pre>
 */
public final class ContinuousEventTimeTrigger extends ContinuousTrigger {
  private static final long serialVersionUID = 1L;

  private ContinuousEventTimeTrigger(Duration interval) {
    super(interval);
  }

  public static ContinuousEventTimeTrigger of(Duration interval) {
    return new ContinuousEventTimeTrigger(interval);
  }

  @Override
  void registerTimer(long time, TriggerContext context) {
    context.registerEventTimeTimer(time);
  }

  @Override
  void deleteTimer(long time, TriggerContext context) {
    context.deleteEventTimeTimer(time);
  }

  @Override
  public TriggerResult onElement(
      Object record, long timestamp, TimeWindow window, TriggerContext context) throws Exception {
    if (window.maxTimestamp() <= context.currentWatermark()) {
      return TriggerResult.FIRE;
    }
    context.registerEventTimeTimer(window.maxTimestamp());
    startAfter(timestamp, window, context);
    return TriggerResult.CONTINUE;
  }

  @Override
  public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context)
      throws Exception {
    if (time == window.maxTimestamp()) {
      return TriggerResult.FIRE;
    }
    if (!isDue(time, context)) {
      return TriggerResult.CONTINUE;
    }
    if (context.currentWatermark() == Long.MAX_VALUE) {
      // At the end of the input only the end of the window is left.
      register(window.maxTimestamp(), context);
    } else {
      startAfter(time, window, context);
    }
    return TriggerResult.FIRE;
  }

  @Override
  public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context) {
    return TriggerResult.CONTINUE;
  }

  @Override
  public void clear(TimeWindow window, TriggerContext context) throws Exception {
    super.clear(window, context);
    context.deleteEventTimeTimer(window.maxTimestamp());
  }

  @Override
  public void onMerge(TimeWindow window, OnMergeContext context) throws Exception {
    super.onMerge(window, context);
    if (window.maxTimestamp() > context.currentWatermark()) {
      context.registerEventTimeTimer(window.maxTimestamp());
    }
  }
}
