package io.millrace.dataplane;

import io.millrace.api.OutputTag;
import io.millrace.api.function.Collector;
import io.millrace.api.function.KeyedProcessFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.TimerService;
import io.millrace.api.time.Timestamps;
import io.millrace.dataplane.state.KeyedStore;
import java.util.Optional;

/** A process function with keys, states and timers. */
final class KeyedProcessing extends KeyedStage
    implements KeyedProcessFunction.OnTimerContext<Object>, TimerService {
  private final Stages.Place place;
  private final TaskTime time;
  private final Turn turn;
  private final KeyedProcessFunction<Object, Object, Object> function;
  private final KeyedStore store;
  private final Collector<Object> out;
  private final SideOutputs sides;
  private long watermark = Long.MIN_VALUE;
  private TimeDomain domain = TimeDomain.EVENT_TIME;

  /** The input is complete: processing time does not go on. */
  private boolean ending;

  KeyedProcessing(
      Stages.Place place, OperatorSpec.KeyedProcessing spec, KeyedStore store, Outputs outputs) {
    super(spec.key());
    this.place = place;
    this.time = place.task().time();
    this.turn = place.task();
    this.function = spec.function();
    this.store = store;
    this.out = new Emit(place.task(), outputs.main());
    this.sides = outputs.sides();
  }

  @Override
  void push(Object record) {
    try {
      store.enter(keyOf(record));
      function.process(record, this, out);
      store.leave();
    } catch (Throwable thrown) {
      throw place.failed(thrown, record);
    }
  }

  @Override
  boolean eventTime(long now) {
    watermark = now;
    while (store.isEventTimerDue(now)) {
      if (turn.isOver()) {
        return false;
      }
      long due = store.enterEventTimer();
      fire(due, due, TimeDomain.EVENT_TIME);
    }
    return true;
  }

  @Override
  boolean processingTime(long now) {
    while (store.firstProcessingTimer() <= now && store.hasProcessingTimers()) {
      if (turn.isOver()) {
        return false;
      }
      fire(store.enterProcessingTimer(), Timestamps.NONE, TimeDomain.PROCESSING_TIME);
    }
    return true;
  }

  private void fire(long due, long timestamp, TimeDomain of) {
    domain = of;
    time.timestamp = timestamp;
    try {
      function.onTimer(due, this, out);
      store.leave();
    } catch (Throwable thrown) {
      throw place.failed(thrown, Optional.of(new Fault.OnTimer(store.key(), due, of)));
    }
    time.timestamp = Timestamps.NONE;
  }

  @Override
  long nextProcessingTime() {
    return store.firstProcessingTimer();
  }

  @Override
  Ended end() {
    if (!eventTime(Long.MAX_VALUE)) {
      return Ended.LATER;
    }
    ending = true;
    return processingTime(Long.MAX_VALUE) ? Ended.YES : Ended.LATER;
  }

  // --- what the function sees

  @Override
  public Object currentKey() {
    return store.key();
  }

  @Override
  public long timestamp() {
    return time.timestamp;
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
    sides.emit(tag, record);
  }

  @Override
  public long currentWatermark() {
    return watermark;
  }

  @Override
  public long currentProcessingTime() {
    return time.read();
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
