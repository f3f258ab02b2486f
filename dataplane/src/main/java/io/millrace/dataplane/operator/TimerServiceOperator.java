package io.millrace.dataplane.operator;

import io.millrace.api.function.Collector;
import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.EngineContext;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.TimerService;
import io.millrace.api.time.Timestamps;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.graph.KeyGroups;
import java.util.Optional;

/**
 * An operator whose function has keyed state and timers. It is the context of the function and its
 * timer service.
 */
public abstract class TimerServiceOperator extends TimedKeyedOperator
    implements KeyedCoProcessFunction.OnTimerContext<Object>, TimerService, EngineContext {
  final OperatorContext context;
  private final TaskClock clock;
  private final StepBudget budget;
  final KeyedStateBackend store;
  final Collector<Object> out;
  private final SideOutputs sideOutputs;
  private long watermark;

  /** The event time of key groups, of which some are ahead of the watermark; else null. */
  private KeyGroupWatermarks ahead;

  private TimeDomain domain = TimeDomain.EVENT_TIME;

  /** The input is complete: new processing-time timers are ignored. */
  private boolean ending;

  TimerServiceOperator(
      OperatorContext context,
      KeySelector<Object, Object> key,
      KeyedStateBackend store,
      OperatorOutputs outputs) {
    super(key);
    this.context = context;
    this.clock = context.task().clock();
    this.budget = context.task();
    this.store = store;
    this.out = new OutputCollector(context.task(), outputs.main());
    this.sideOutputs = outputs.sideOutputs();
    KeyGroupWatermarks restored = store.restoredWatermarks();
    this.watermark = restored.lowest();
    this.ahead = restored.isSame() ? null : restored;
  }

  /** Calls the function for a timer of the current key. */
  abstract void onTimer(long time) throws Exception;

  @Override
  public final boolean eventTime(long now) {
    watermark = Math.max(watermark, now);
    if (ahead != null && ahead.highest() <= watermark) {
      ahead = null;
    }
    while (store.isEventTimerDue(now)) {
      if (budget.isExhausted()) {
        return false;
      }
      long due = store.enterEventTimer();
      fire(due, due, TimeDomain.EVENT_TIME);
    }
    return true;
  }

  /** A timer is removed when it fires. */
  @Override
  public final boolean isInterruptible() {
    return true;
  }

  @Override
  public final boolean processingTime(long now) {
    while (store.firstProcessingTimer() <= now && store.hasProcessingTimers()) {
      if (budget.isExhausted()) {
        return false;
      }
      fire(store.enterProcessingTimer(), Timestamps.NONE, TimeDomain.PROCESSING_TIME);
    }
    return true;
  }

  private void fire(long due, long timestamp, TimeDomain of) {
    domain = of;
    clock.timestamp = timestamp;
    try {
      onTimer(due);
      store.leave();
    } catch (Throwable thrown) {
      throw context.failed(thrown, Optional.of(new FailureContext.OnTimer(store.key(), due, of)));
    }
    clock.timestamp = Timestamps.NONE;
  }

  @Override
  public final long nextProcessingTime() {
    return store.firstProcessingTimer();
  }

  @Override
  public final EndStatus end() {
    if (!eventTime(Long.MAX_VALUE)) {
      return EndStatus.YIELDED;
    }
    ending = true;
    if (!processingTime(Long.MAX_VALUE)) {
      return EndStatus.YIELDED;
    }
    timersEnded();
    return EndStatus.DONE;
  }

  /** The input is complete and all timers have fired. */
  void timersEnded() {}

  // --- checkpoints

  @Override
  public final boolean hasKeyedState() {
    return true;
  }

  @Override
  public final void snapshot(OperatorSnapshotBuilder snapshot) {
    KeyGroupWatermarks reached =
        ahead == null ? KeyGroupWatermarks.same(watermark) : ahead.atLeast(watermark);
    if (context.store().isPresent()) {
      context.store().get().snapshot(snapshot, reached);
    } else {
      snapshot.keyed(store.freeze(), reached);
    }
  }

  // --- the context of the function

  @Override
  public final Object currentKey() {
    return store.key();
  }

  @Override
  public final long timestamp() {
    return clock.timestamp;
  }

  /** The task sets the timestamp anew for the next record or timer. */
  @Override
  public final void resultTimestamp(long timestamp) {
    clock.timestamp = timestamp;
  }

  @Override
  public final void lateDropped() {
    context.task().eventTime().lateDropped();
  }

  @Override
  public final TimeDomain timeDomain() {
    return domain;
  }

  @Override
  public final TimerService timerService() {
    return this;
  }

  @Override
  public final <X> void output(OutputTag<X> tag, X record) {
    sideOutputs.emit(tag, record);
  }

  @Override
  public final long currentWatermark() {
    if (ahead == null || store.key() == null) {
      return watermark;
    }
    return Math.max(watermark, ahead.of(KeyGroups.groupOf(store.key(), context.maxParallelism())));
  }

  @Override
  public final long currentProcessingTime() {
    return clock.read();
  }

  @Override
  public final void registerEventTimeTimer(long at) {
    store.addEventTimer(at);
  }

  @Override
  public final void registerProcessingTimeTimer(long at) {
    if (!ending) {
      store.addProcessingTimer(at);
    }
  }

  @Override
  public final void deleteEventTimeTimer(long at) {
    store.removeEventTimer(at);
  }

  @Override
  public final void deleteProcessingTimeTimer(long at) {
    store.removeProcessingTimer(at);
  }
}
