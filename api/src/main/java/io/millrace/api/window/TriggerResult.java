package io.millrace.api.window;

/**
 * What happens to a window after a call of its {@link Trigger}.
 *
 * <pre>{@code
 * class EachLargeOrder extends Trigger<Order> {
 *   public TriggerResult onElement(
 *       Order order, long timestamp, TimeWindow window, TriggerContext context) {
 *     return order.cents() > 100_000 ? TriggerResult.FIRE_AND_PURGE : TriggerResult.CONTINUE;
 *   }
 *
 *   public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
 *     return TriggerResult.CONTINUE;
 *   }
 *
 *   public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context) {
 *     return TriggerResult.CONTINUE;
 *   }
 *
 *   public void clear(TimeWindow window, TriggerContext context) {}
 * }
 * }</pre>
 */
public enum TriggerResult {
  CONTINUE(false, false),
  /** The window function is called; the content stays. */
  FIRE(true, false),
  /** The content is removed. */
  PURGE(false, true),
  FIRE_AND_PURGE(true, true);

  private final boolean fires;
  private final boolean purges;

  TriggerResult(boolean fires, boolean purges) {
    this.fires = fires;
    this.purges = purges;
  }

  public boolean isFire() {
    return fires;
  }

  public boolean isPurge() {
    return purges;
  }
}
