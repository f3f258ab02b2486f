package io.millrace.api.window;

import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import java.time.Duration;

/** Fires repeatedly after an interval of processing time while a window gets records. */
public final class ContinuousProcessingTimeTrigger extends Trigger<Object> {
  private static final long serialVersionUID = 1L;
  private static final ReducingStateDescriptor<Long> NEXT =
      new ReducingStateDescriptor<>("next", Math::min);

  private final long interval;

  private ContinuousProcessingTimeTrigger(long interval) {
    this.interval = interval;
  }

  public static ContinuousProcessingTimeTrigger of(Duration interval) {
    return new ContinuousProcessingTimeTrigger(TriggerIntervals.millis(interval));
  }

  @Override
  public TriggerResult onElement(
      Object record, long timestamp, TimeWindow window, TriggerContext context) throws Exception {
    if (context.reducingState(NEXT).value() == null) {
      register(TriggerIntervals.next(context.currentProcessingTime(), interval, window), context);
    }
    return TriggerResult.CONTINUE;
  }

  private static void register(long time, TriggerContext context) throws Exception {
    context.reducingState(NEXT).add(time);
    context.registerProcessingTimeTimer(time);
  }

  @Override
  public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
    return TriggerResult.CONTINUE;
  }

  @Override
  public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context)
      throws Exception {
    ReducingState<Long> next = context.reducingState(NEXT);
    if (next.value() == null || next.value() != time) {
      return TriggerResult.CONTINUE;
    }
    next.clear();
    if (time < window.maxTimestamp()) {
      register(TriggerIntervals.next(time, interval, window), context);
    }
    return TriggerResult.FIRE;
  }

  @Override
  public void clear(TimeWindow window, TriggerContext context) throws Exception {
    ReducingState<Long> next = context.reducingState(NEXT);
    if (next.value() != null) {
      context.deleteProcessingTimeTimer(next.value());
      next.clear();
    }
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
      context.registerProcessingTimeTimer(next);
    }
  }
}
