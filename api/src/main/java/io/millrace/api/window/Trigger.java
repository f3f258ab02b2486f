package io.millrace.api.window;

import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import java.io.Serializable;

/**
 * Decides when a window fires and when its content is removed. State and timers of a trigger belong
 * to one key and one window.
 *
 * <pre>{@code
 * // Fires with each free order.
 * class FreeOrders extends Trigger<Order> {
 *   public TriggerResult onElement(
 *       Order order, long timestamp, TimeWindow window, TriggerContext context) {
 *     return order.cents() == 0 ? TriggerResult.FIRE : TriggerResult.CONTINUE;
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
 *
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(new FreeOrders())
 *     .count()
 *     .print();
 * }</pre>
 *
 * @param <T> the records
 */
public abstract class Trigger<T> implements Serializable {
  private static final long serialVersionUID = 1L;

  /** A record was added to a window. */
  public abstract TriggerResult onElement(
      T record, long timestamp, TimeWindow window, TriggerContext context) throws Exception;

  /** An event-time timer of the window has fired. */
  public abstract TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context)
      throws Exception;

  /** A processing-time timer of the window has fired. */
  public abstract TriggerResult onProcessingTime(
      long time, TimeWindow window, TriggerContext context) throws Exception;

  /** Removes the state and the timers of a window that ends. */
  public abstract void clear(TimeWindow window, TriggerContext context) throws Exception;

  /** Whether the trigger can be used with session windows, which merge. */
  public boolean canMerge() {
    return false;
  }

  /** Windows were merged into this one; {@link #clear} is called for those that are gone. */
  public void onMerge(TimeWindow window, OnMergeContext context) throws Exception {
    throw new UnsupportedOperationException(getClass().getName() + " cannot merge");
  }

  /** State and timers of the current key and window. Valid only during the call. */
  public interface TriggerContext {
    /** The current watermark; {@link Long#MIN_VALUE} before the first one. */
    long currentWatermark();

    /** Milliseconds since the epoch. */
    long currentProcessingTime();

    void registerEventTimeTimer(long time);

    void registerProcessingTimeTimer(long time);

    void deleteEventTimeTimer(long time);

    void deleteProcessingTimeTimer(long time);

    <S> ValueState<S> state(ValueStateDescriptor<S> descriptor);

    <S> ReducingState<S> reducingState(ReducingStateDescriptor<S> descriptor);
  }

  /** The context of windows that were merged. */
  public interface OnMergeContext extends TriggerContext {
    /** Reduces the states of the windows that were merged into that of the window. */
    <S> void mergeState(ReducingStateDescriptor<S> descriptor) throws Exception;
  }
}
