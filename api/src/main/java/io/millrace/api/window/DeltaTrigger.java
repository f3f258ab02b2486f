package io.millrace.api.window;

import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import java.util.Objects;

/**
 * Fires when a record is farther than a threshold from the one that fired last.
 *
 * <pre>{@code
 * // Fires an hour of event time after the order that fired before.
 * orders
 *     .keyBy(Order::customer)
 *     .window(GlobalWindows.create())
 *     .trigger(DeltaTrigger.of(3_600_000, (older, newer) -> newer.time() - older.time()))
 *     .sum(Order::cents)
 *     .print();
 * }</pre>
 */
public final class DeltaTrigger<T> extends Trigger<T> {
  private static final long serialVersionUID = 1L;

  private final double threshold;
  private final DeltaFunction<? super T> function;

  private DeltaTrigger(double threshold, DeltaFunction<? super T> function) {
    this.threshold = threshold;
    this.function = Objects.requireNonNull(function, "function");
  }

  public static <T> DeltaTrigger<T> of(double threshold, DeltaFunction<? super T> function) {
    return new DeltaTrigger<>(threshold, function);
  }

  private ValueState<T> last(TriggerContext context) {
    return context.state(new ValueStateDescriptor<>("last"));
  }

  @Override
  public TriggerResult onElement(
      T record, long timestamp, TimeWindow window, TriggerContext context) {
    ValueState<T> last = last(context);
    if (last.value() == null) {
      last.update(record);
      return TriggerResult.CONTINUE;
    }
    if (function.delta(last.value(), record) <= threshold) {
      return TriggerResult.CONTINUE;
    }
    last.update(record);
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
    last(context).clear();
  }
}
