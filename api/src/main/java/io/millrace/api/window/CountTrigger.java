package io.millrace.api.window;

import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/**
 * Fires each time a window has got so many records.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(CountTrigger.of(100))
 *     .count()
 *     .print();
 * }</pre>
 */
public final class CountTrigger extends Trigger<Object> {
  private static final long serialVersionUID = 1L;
  private static final ReducingStateDescriptor<Long> COUNT =
      new ReducingStateDescriptor<>("count", Long::sum);

  private final long most;

  private CountTrigger(long most) {
    this.most = most;
  }

  public static CountTrigger of(long records) {
    if (records < 1) {
      throw new MillraceException(
          ErrorKind.USER, "A window fires after 1 record or more, not after " + records + ".");
    }
    return new CountTrigger(records);
  }

  @Override
  public TriggerResult onElement(
      Object record, long timestamp, TimeWindow window, TriggerContext context) throws Exception {
    ReducingState<Long> count = context.reducingState(COUNT);
    count.add(1L);
    if (count.value() < most) {
      return TriggerResult.CONTINUE;
    }
    count.clear();
    return TriggerResult.FIRE;
  }

  @Override
  public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
    return TriggerResult.CONTINUE;
  }

  @Override
  public TriggerResult onProcessingTime(long time, TimeWindow window, TriggerContext context) {
    return TriggerResult.CONTINUE;
  }

  @Override
  public void clear(TimeWindow window, TriggerContext context) {
    context.reducingState(COUNT).clear();
  }

  @Override
  public boolean canMerge() {
    return true;
  }

  @Override
  public void onMerge(TimeWindow window, OnMergeContext context) throws Exception {
    context.mergeState(COUNT);
  }
}
