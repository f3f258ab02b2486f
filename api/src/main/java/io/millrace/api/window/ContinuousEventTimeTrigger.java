package io.millrace.api.window;

import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import java.time.Duration;

/** Fires repeatedly after an interval of event time, and at the end of the window. */
public final class ContinuousEventTimeTrigger extends Trigger<Object> {
  private static final long serialVersionUID = 1L;
  private static final ReducingStateDescriptor<Long> NEXT =
      new ReducingStateDescriptor<>("next", Math::min);

  private final long interval;

  private ContinuousEventTimeTrigger(long interval) {
    this.interval = interval;
  }

  public static ContinuousEventTimeTrigger of(Duration interval) {
    return new ContinuousEventTimeTrigger(TriggerIntervals.millis(interval));
  }

  @Override
  public TriggerResult onElement(
      Object record, long timestamp, TimeWindow window, TriggerContext context) throws Exception {
    if (window.maxTimestamp() <= context.currentWatermark()) {
      return TriggerResult.FIRE;
    }
    context.registerEventTimeTimer(window.maxTimestamp());
    if (context.reducingState(NEXT).value() == null) {
      register(TriggerIntervals.next(timestamp, interval, window), context);
    }
    return TriggerResult.CONTINUE;
  }

  private static void register(long time, TriggerContext context) throws Exception {
    context.reducingState(NEXT).add(time);
    context.registerEventTimeTimer(time);
  }

  @Override
  public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context)
      throws Exception {
    if (time == window.maxTimestamp()) {
      return TriggerResult.FIRE;
    }
    ReducingState<Long> next = context.reducingState(NEXT);
    if (next.value() == null || next.value() != time) {
      return TriggerResult.CONTINUE;
    }
    next.clear();
    // At the end of the input only the end of the window is left.
    register(
        context.currentWatermark() == Long.MAX_VALUE
            ? window.maxTimestamp()
            : TriggerIntervals.next(time, interval, window),
        context);
    return TriggerResult.FIRE;
  }

  @Override
  public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context) {
    return TriggerResult.CONTINUE;
  }

  @Override
  public void clear(TimeWindow window, TriggerContext context) throws Exception {
    ReducingState<Long> next = context.reducingState(NEXT);
    if (next.value() != null) {
      context.deleteEventTimeTimer(next.value());
      next.clear();
    }
    context.deleteEventTimeTimer(window.maxTimestamp());
  }

  @Override
  public boolean canMerge() {
    return true;
  }

  @Override
  public void onMerge(TimeWindow window, OnMergeContext context) throws Exception {
    context.mergeState(NEXT);
    Long next = context.reducingState(NEXT).value();
    if (next != null) {
      context.registerEventTimeTimer(next);
    }
    if (window.maxTimestamp() > context.currentWatermark()) {
      context.registerEventTimeTimer(window.maxTimestamp());
    }
  }
}
