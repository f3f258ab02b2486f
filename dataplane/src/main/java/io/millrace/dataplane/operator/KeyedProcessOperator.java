package io.millrace.dataplane.operator;

import io.millrace.api.function.Collector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.TimerService;
import io.millrace.api.time.Timestamps;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.graph.KeyGroups;
import java.util.Optional;

/** Runs a {@link KeyedProcessFunction}: keys, states and timers. */
public final class KeyedProcessOperator extends TimedKeyedOperator
    implements KeyedProcessFunction.OnTimerContext<Object>, TimerService {
  private final OperatorContext context;
  private final TaskClock clock;
  private final StepBudget budget;
  private final KeyedProcessFunction<Object, Object, Object> function;
  private final KeyedStateBackend store;
  private final Collector<Object> out;
  private final SideOutputs sideOutputs;
  private long watermark;

  /** The event time of key groups, of which some are ahead of the watermark; else null. */
  private KeyGroupWatermarks ahead;

  private TimeDomain domain = TimeDomain.EVENT_TIME;

  /** The input is complete: new processing-time timers are ignored. */
  private boolean ending;

  KeyedProcessOperator(
      OperatorContext context,
      OperatorSpec.KeyedProcessing spec,
      KeyedStateBackend store,
      OperatorOutputs outputs) {
    super(spec.key());
    this.context = context;
    this.clock = context.task().clock();
    this.budget = context.task();
    this.function = spec.function();
    this.store = store;
    this.out = new OutputCollector(context.task(), outputs.main());
    this.sideOutputs = outputs.sideOutputs();
    KeyGroupWatermarks restored = store.restoredWatermarks();
    this.watermark = restored.lowest();
    this.ahead = restored.isSame() ? null : restored;
  }

  @Override
  public void processElement(Object record) {
    try {
      store.enter(keyOf(record));
      function.process(record, this, out);
      store.leave();
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  public boolean eventTime(long now) {
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
  public boolean isInterruptible() {
    return true;
  }

  @Override
  public boolean processingTime(long now) {
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
      function.onTimer(due, this, out);
      store.leave();
    } catch (Throwable thrown) {
      throw context.failed(thrown, Optional.of(new FailureContext.OnTimer(store.key(), due, of)));
    }
    clock.timestamp = Timestamps.NONE;
  }

  @Override
  public long nextProcessingTime() {
    return store.firstProcessingTimer();
  }

  @Override
  public EndStatus end() {
    if (!eventTime(Long.MAX_VALUE)) {
      return EndStatus.YIELDED;
    }
    ending = true;
    return processingTime(Long.MAX_VALUE) ? EndStatus.DONE : EndStatus.YIELDED;
  }

  // --- checkpoints

  @Override
  public boolean hasKeyedState() {
    return true;
  }

  @Override
  public void snapshot(OperatorSnapshotBuilder snapshot) {
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
  public Object currentKey() {
    return store.key();
  }

  @Override
  public long timestamp() {
    return clock.timestamp;
  }

  @Override
  public TimeDomain timeDomain() {
    return domain;
  }

  @Override
  public TimerService timerService() {
    return this;
  }

  @Override
  public <X> void output(OutputTag<X> tag, X record) {
    sideOutputs.emit(tag, record);
  }

  @Override
  public long currentWatermark() {
    if (ahead == null || store.key() == null) {
      return watermark;
    }
    return Math.max(watermark, ahead.of(KeyGroups.groupOf(store.key(), context.maxParallelism())));
  }

  @Override
  public long currentProcessingTime() {
    return clock.read();
  }

  @Override
  public void registerEventTimeTimer(long at) {
    store.addEventTimer(at);
  }

  @Override
  public void registerProcessingTimeTimer(long at) {
    if (!ending) {
      store.addProcessingTimer(at);
    }
  }

  @Override
  public void deleteEventTimeTimer(long at) {
    store.removeEventTimer(at);
  }

  @Override
  public void deleteProcessingTimeTimer(long at) {
    store.removeProcessingTimer(at);
  }
}
