package io.millrace.api.window;

/**
 * Fires when the watermark has reached the end of the window. The default of event-time windows.
 *
 * <pre>{@code
 * // Each record is in one result, also if it is late.
 * orders
 *     .keyBy(Order::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
 *     .allowedLateness(Duration.ofMinutes(10))
 *     .trigger(PurgingTrigger.of(EventTimeTrigger.create()))
 *     .count()
 *     .print();
 * }</pre>
 */
public final class EventTimeTrigger extends Trigger<Object> {
  private static final long serialVersionUID = 1L;

  private EventTimeTrigger() {}

  public static EventTimeTrigger create() {
    return new EventTimeTrigger();
  }

  @Override
  public TriggerResult onElement(
      Object record, long timestamp, TimeWindow window, TriggerContext context) {
    if (window.maxTimestamp() <= context.currentWatermark()) {
      // The record is late, and within the allowed lateness.
      return TriggerResult.FIRE;
    }
    context.registerEventTimeTimer(window.maxTimestamp());
    return TriggerResult.CONTINUE;
  }

  @Override
  public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
    return time == window.maxTimestamp() ? TriggerResult.FIRE : TriggerResult.CONTINUE;
  }

  @Override
  public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context) {
    return TriggerResult.CONTINUE;
  }

  @Override
  public void clear(TimeWindow window, TriggerContext context) {
    context.deleteEventTimeTimer(window.maxTimestamp());
  }

  @Override
  public boolean canMerge() {
    return true;
  }

  @Override
  public void onMerge(TimeWindow window, OnMergeContext context) {
    // If the watermark is past the end, onElement fires for the record that caused the merge.
    if (window.maxTimestamp() > context.currentWatermark()) {
      context.registerEventTimeTimer(window.maxTimestamp());
    }
  }
}
