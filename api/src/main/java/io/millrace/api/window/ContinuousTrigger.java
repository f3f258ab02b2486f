package io.millrace.api.window;

import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import java.time.Duration;

/** Fires at multiples of an interval. A window has a timer for the next one only. */
abstract sealed class ContinuousTrigger extends Trigger<Object>
    permits ContinuousEventTimeTrigger, ContinuousProcessingTimeTrigger {
  private static final long serialVersionUID = 1L;
  private static final ReducingStateDescriptor<Long> NEXT =
      new ReducingStateDescriptor<>("next", Math::min);

  private final long interval;

  ContinuousTrigger(Duration interval) {
    this.interval = TriggerIntervals.millis(interval);
  }

  abstract void registerTimer(long time, TriggerContext context);

  abstract void deleteTimer(long time, TriggerContext context);

  /** Registers the timer after a time, unless there is one. */
  final void startAfter(long time, TimeWindow window, TriggerContext context) throws Exception {
    if (context.reducingState(NEXT).value() == null) {
      register(TriggerIntervals.next(time, interval, window), context);
    }
  }

  /** Whether a timer is that of the interval, which is over then. */
  final boolean isDue(long time, TriggerContext context) {
    ReducingState<Long> next = context.reducingState(NEXT);
    if (next.value() == null || next.value() != time) {
      return false;
    }
    next.clear();
    return true;
  }

  final void register(long time, TriggerContext context) throws Exception {
    context.reducingState(NEXT).add(time);
    registerTimer(time, context);
  }

  @Override
  public void clear(TimeWindow window, TriggerContext context) throws Exception {
    ReducingState<Long> next = context.reducingState(NEXT);
    if (next.value() != null) {
      deleteTimer(next.value(), context);
      next.clear();
    }
  }

  @Override
  public final boolean canMerge() {
    return true;
  }

  @Override
  public void onMerge(TimeWindow window, OnMergeContext context) throws Exception {
    context.mergeState(NEXT);
    Long next = context.reducingState(NEXT).value();
    if (next != null) {
      registerTimer(next, context);
    }
  }
}
