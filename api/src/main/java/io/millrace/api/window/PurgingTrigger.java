package io.millrace.api.window;

import java.util.Objects;

/**
 * Removes the content of a window each time another trigger fires.
 *
 * <pre>{@code
 * // Counts the orders of a customer by the hundred.
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(PurgingTrigger.of(CountTrigger.of(100)))
 *     .sum(Order::cents)
 *     .print();
 * }</pre>
 */
public final class PurgingTrigger<T> extends Trigger<T> {
  private static final long serialVersionUID = 1L;

  private final Trigger<T> trigger;

  private PurgingTrigger(Trigger<T> trigger) {
    this.trigger = Objects.requireNonNull(trigger, "trigger");
  }

  public static <T> PurgingTrigger<T> of(Trigger<T> trigger) {
    return new PurgingTrigger<>(trigger);
  }

  private static TriggerResult purging(TriggerResult result) {
    return result.isFire() ? TriggerResult.FIRE_AND_PURGE : result;
  }

  @Override
  public TriggerResult onElement(
      T record, long timestamp, TimeWindow window, TriggerContext context) throws Exception {
    return purging(trigger.onElement(record, timestamp, window, context));
  }

  @Override
  public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context)
      throws Exception {
    return purging(trigger.onEventTime(time, window, context));
  }

  @Override
  public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context)
      throws Exception {
    return purging(trigger.onProcessingTime(time, window, context));
  }

  @Override
  public void clear(TimeWindow window, TriggerContext context) throws Exception {
    trigger.clear(window, context);
  }

  @Override
  public boolean canMerge() {
    return trigger.canMerge();
  }

  @Override
  public void onMerge(TimeWindow window, OnMergeContext context) throws Exception {
    trigger.onMerge(window, context);
  }
}
