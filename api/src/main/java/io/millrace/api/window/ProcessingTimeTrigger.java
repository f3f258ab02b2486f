package io.millrace.api.window;

/**
 * Fires when processing time has reached the end of the window. The default of processing-time
 * windows.
 *
 * <pre>{@code
 * // Windows of event time, which fire by the clock of the machine.
 * orders
 *     .keyBy(Order::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
 *     .trigger(ProcessingTimeTrigger.create())
 *     .count()
 *     .print();
 * }</pre>
 */
public final class ProcessingTimeTrigger extends Trigger<Object> {
  private static final long serialVersionUID = 1L;

  private ProcessingTimeTrigger() {}

  public static ProcessingTimeTrigger create() {
    return new ProcessingTimeTrigger();
  }

  @Override
  public TriggerResult onElement(
      Object record, long timestamp, TimeWindow window, TriggerContext context) {
    context.registerProcessingTimeTimer(window.maxTimestamp());
    return TriggerResult.CONTINUE;
  }

  @Override
  public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
    return TriggerResult.CONTINUE;
  }

  @Override
  public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context) {
    return time == window.maxTimestamp() ? TriggerResult.FIRE : TriggerResult.CONTINUE;
  }

  @Override
  public void clear(TimeWindow window, TriggerContext context) {
    context.deleteProcessingTimeTimer(window.maxTimestamp());
  }

  @Override
  public boolean canMerge() {
    return true;
  }

  @Override
  public void onMerge(TimeWindow window, OnMergeContext context) {
    context.registerProcessingTimeTimer(window.maxTimestamp());
  }
}
